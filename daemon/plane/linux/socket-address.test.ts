import assert from 'node:assert/strict';
import { test } from 'node:test';
import { libc, skip } from '../../process/libc/testing/libc.ts';
import { addressBytes, decodeAddress, encodeAddress } from './socket-address.ts';

test('addresses have the bytes that the system expects', { skip }, () => {
  const block = libc.allocate(addressBytes);
  const bytesOf = (address: Parameters<typeof encodeAddress>[1]) => {
    const encoded = encodeAddress(block, address);
    return encoded && Buffer.from(block.bytes.subarray(0, encoded.length)).toString('hex');
  };
  assert.equal(bytesOf({ ip: '192.0.2.1', port: 8080 }), '02001f90c00002010000000000000000');
  assert.deepEqual(decodeAddress(block), { ip: '192.0.2.1', port: 8080 });
  assert.equal(bytesOf({ ip: '2001:db8::1', port: 443 }), `0a0001bb0000000020010db8${'00'.repeat(11)}0100000000`);
  assert.deepEqual(decodeAddress(block), { ip: '2001:db8::1', port: 443 });
  block.bytes.fill(0xff, 18, 20);
  block.bytes.fill(0, 8, 18);
  block.bytes.set([192, 0, 2, 7], 20);
  assert.deepEqual(decodeAddress(block), { ip: '::ffff:192.0.2.7', port: 443 });
  assert.equal(bytesOf({ path: '/s' }), '01002f7300');
  for (const address of [{ ip: 'fe80::1%eth0', port: 1 }, { ip: '', port: 1 }, { path: `/${'a'.repeat(107)}` }])
    assert.equal(bytesOf(address), undefined);
});
