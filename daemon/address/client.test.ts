import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOfPeer } from './client.ts';

const keyOf = (ip: string) => clientOfPeer({ ip, port: 1 }).key;

test('limits count the addresses of one /64 as one client and translated IPv4 addresses separately', () => {
  assert.equal(keyOf('2001:db8::1'), keyOf('2001:db8::ffff:0:0:2'));
  assert.notEqual(keyOf('2001:db8::1'), keyOf('2001:db8:0:1::1'));
  assert.equal(keyOf('::ffff:192.0.2.1'), keyOf('192.0.2.1'));
  assert.notEqual(keyOf('64:ff9b::192.0.2.1'), keyOf('64:ff9b::192.0.2.2'));
  assert.notEqual(keyOf('64:ff9b:1:2::192.0.2.1'), keyOf('64:ff9b:1:2::192.0.2.2'));
});
