import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedLookup } from './lookup.ts';

test('a name that many ask for at once is looked up once, and anew after its answer', () => {
  const asked: (readonly [host: string, tell: () => void])[] = [];
  const lookup = sharedLookup((host, _options, told) => {
    asked.push([host, () => told(null, `192.0.2.${asked.length}`, 4)]);
  });
  const heard: unknown[] = [];
  const listen = (host: string, all = false) => lookup(host, { all }, (_error, address) => heard.push(address));
  listen('db.example');
  listen('db.example');
  listen('mail.example');
  listen('db.example', true);
  assert.deepEqual(
    asked.map(([host]) => host),
    ['db.example', 'mail.example', 'db.example'],
  );
  asked[0]?.[1]();
  assert.deepEqual(heard, ['192.0.2.3', '192.0.2.3']);
  listen('db.example');
  assert.equal(asked.length, 4);
});
