import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { bodyAfterHead, start } from './held-site.ts';
import { exchangeBytes, request } from './wire.ts';

test('gzip_bomb', async (t) => {
  const nginx = await start(t);
  for (const [name, mib] of [
    ['bomb', 3],
    ['big', 100],
  ] as const)
    await t.test(`${mib} MiB for the real gunzip`, async () => {
      const gunzip = spawn('sh', ['-c', 'gunzip -c | wc -c'], { stdio: ['pipe', 'pipe', 'inherit'] });
      const bytes = await exchangeBytes(nginx.port, request('GET', `/${name}/.env`, 'Connection: close'));
      assert.match(bytes, /\r\nContent-Encoding: gzip\r\n/);
      gunzip.stdin.end(Buffer.from(bodyAfterHead(bytes), 'latin1'));
      const [out] = await once(gunzip.stdout, 'data');
      assert.equal(Number(out), mib * 1024 * 1024);
      assert.equal(bodyAfterHead(bytes).length, Number(/^Content-Length: (\d+)/im.exec(bytes)?.[1]));
    });
  await t.test('HEAD', async () => {
    const bytes = await exchangeBytes(nginx.port, request('HEAD', '/bomb/.env', 'Connection: close'));
    assert.match(bytes, /^HTTP\/1.1 200 .*\r\nContent-Encoding: gzip\r\n.*\r\n\r\n$/s);
  });
});
