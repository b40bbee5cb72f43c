import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectors } from '../index.ts';
import { helloOfOpenSsl } from '../testing/hello.ts';

for (const protocol of ['redis', 'ldap', 'mqtt', 'mongodb', 'postgres'] as const) {
  const isEnough = (bytes: Buffer) => inspectors[protocol].isEnough?.(bytes, 0);

  test(`${protocol}: no upstream is connected before a ClientHello is whole`, () => {
    assert.equal(isEnough(helloOfOpenSsl.subarray(0, -1)), false);
    assert.equal(isEnough(helloOfOpenSsl), true);
  });

  test(`${protocol}: an upstream is connected at once for bytes that no ClientHello continues`, () => {
    assert.equal(isEnough(Buffer.concat([Buffer.of(0x16, 3, 1, 0, 4, 9), Buffer.alloc(12)])), true);
  });
}
