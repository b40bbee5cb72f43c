import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedLookup } from './lookup.ts';

test('resolves a name once for concurrent requests, and again after the result', () => {
  const lookups: (readonly [host: string, callback: () => void])[] = [];
  const lookup = sharedLookup((host, _options, callback) => {
    lookups.push([host, () => callback(null, `192.0.2.${lookups.length}`, 4)]);
  });
  const received: unknown[] = [];
  const listen = (host: string, all = false) => lookup(host, { all }, (_error, address) => received.push(address));
  listen('db.example');
  listen('db.example');
  listen('mail.example');
  listen('db.example', true);
  assert.deepEqual(
    lookups.map(([host]) => host),
    ['db.example', 'mail.example', 'db.example'],
  );
  lookups[0]?.[1]();
  assert.deepEqual(received, ['192.0.2.3', '192.0.2.3']);
  listen('db.example');
  assert.equal(lookups.length, 4);
});
