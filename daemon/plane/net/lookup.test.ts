import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { until } from '../../../platform/until.ts';
import { cachedLookup } from './lookup.ts';

type Outcome = string | Error;

/** A resolver whose lookups the test ends, and what the requests received. */
function resolver() {
  const time = { now: 0 };
  const lookups: { readonly host: string; readonly end: (outcome: Outcome) => void }[] = [];
  const lookup = cachedLookup(
    (host, _options, callback) => {
      const end = (outcome: Outcome) =>
        typeof outcome === 'string' ? callback(null, outcome, 4) : callback(outcome as NodeJS.ErrnoException, '', 0);
      lookups.push({ host, end });
    },
    () => time.now,
  );
  const received: Outcome[] = [];
  const request = (host: string, all = false) =>
    lookup(host, { all }, (error, address) => received.push(error?.message ?? (address as string)));
  return { time, lookups, received, request };
}

test('concurrent requests for a name share a lookup', () => {
  const { lookups, received, request } = resolver();
  request('db.example');
  request('db.example');
  request('mail.example');
  request('db.example', true);
  assert.deepEqual(
    lookups.map(({ host }) => host),
    ['db.example', 'mail.example', 'db.example'],
  );
  lookups[0]?.end('192.0.2.3');
  assert.deepEqual(received, ['192.0.2.3', '192.0.2.3']);
});

test('addresses count for a time, and are then resolved again', async () => {
  const { time, lookups, received, request } = resolver();
  request('db.example');
  lookups[0]?.end('192.0.2.1');
  time.now = daemonBounds.nameMs - 1;
  request('db.example');
  await turn();
  time.now += 1;
  request('db.example');
  lookups[1]?.end('192.0.2.2');
  assert.deepEqual(received, ['192.0.2.1', '192.0.2.1', '192.0.2.2']);
  assert.equal(lookups.length, 2);
});

test('a failure counts for a shorter time, and only where no address is known', async () => {
  const { time, lookups, received, request } = resolver();
  request('db.example');
  lookups[0]?.end(new Error('no such name'));
  request('db.example');
  await turn();
  assert.equal(lookups.length, 1);
  time.now += daemonBounds.nameFailureMs;
  request('db.example');
  lookups[1]?.end('192.0.2.1');
  time.now += daemonBounds.nameMs;
  request('db.example');
  lookups[2]?.end(new Error('the name server failed'));
  request('db.example');
  await turn();
  assert.deepEqual(received, ['no such name', 'no such name', '192.0.2.1', '192.0.2.1', '192.0.2.1']);
  time.now += daemonBounds.nameStaleMs;
  request('db.example');
  lookups[3]?.end(new Error('the name server failed'));
  assert.equal(received.at(-1), 'the name server failed');
});

test('the last addresses replace a lookup that hangs, and one lookup runs at a time', async () => {
  const { time, lookups, received, request } = resolver();
  request('db.example');
  lookups[0]?.end('192.0.2.1');
  time.now += daemonBounds.nameMs;
  request('db.example');
  await until(() => received.length === 2);
  request('db.example');
  await until(() => received.length === 3);
  assert.deepEqual([received, lookups.length], [['192.0.2.1', '192.0.2.1', '192.0.2.1'], 2]);
  lookups[1]?.end('192.0.2.2');
  request('db.example');
  await turn();
  assert.equal(received.at(-1), '192.0.2.2');
});
