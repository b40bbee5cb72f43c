import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { createResolver } from './resolver.ts';

/**
 * A resolver whose lookups the test ends with addresses or an error. Records the addresses that each request received.
 */
function resolver() {
  const time = { now: 0 };
  const lookups: { readonly host: string; readonly end: (outcome: string | Error) => void }[] = [];
  const resolve = createResolver(
    (host, _options, done) => {
      const end = (outcome: string | Error) =>
        typeof outcome === 'string'
          ? done(
              null,
              outcome.split(' ').map((address) => ({ address, family: 4 })),
            )
          : done(outcome, []);
      lookups.push({ host, end });
    },
    () => time.now,
  );
  const received: string[] = [];
  const request = (host: string) => resolve(host, (addresses) => received.push(addresses.join(' ')));
  return { time, lookups, received, request };
}

test('an address resolves to itself', () => {
  const { lookups, received, request } = resolver();
  request('192.0.2.1');
  request('2001:db8::1');
  assert.deepEqual([received, lookups], [['192.0.2.1', '2001:db8::1'], []]);
});

test('concurrent requests for a name share a lookup', () => {
  const { lookups, received, request } = resolver();
  request('db.example');
  request('db.example');
  request('mail.example');
  assert.deepEqual(
    lookups.map(({ host }) => host),
    ['db.example', 'mail.example'],
  );
  lookups[0]?.end('192.0.2.3 192.0.2.4');
  assert.deepEqual(received, ['192.0.2.3 192.0.2.4', '192.0.2.3 192.0.2.4']);
});

test('addresses count for a time, and are then resolved again', () => {
  const { time, lookups, received, request } = resolver();
  request('db.example');
  lookups[0]?.end('192.0.2.1');
  time.now = daemonBounds.nameMs - 1;
  request('db.example');
  time.now += 1;
  request('db.example');
  lookups[1]?.end('192.0.2.2');
  assert.deepEqual(received, ['192.0.2.1', '192.0.2.1', '192.0.2.2']);
  assert.equal(lookups.length, 2);
});

test('a failure counts for a shorter time, and only where no address is known', () => {
  const { time, lookups, received, request } = resolver();
  request('db.example');
  lookups[0]?.end(new Error('no such name'));
  request('db.example');
  assert.equal(lookups.length, 1);
  time.now += daemonBounds.nameFailureMs;
  request('db.example');
  lookups[1]?.end('192.0.2.1');
  time.now += daemonBounds.nameMs;
  request('db.example');
  lookups[2]?.end(new Error('the name server failed'));
  request('db.example');
  assert.deepEqual(received, ['', '', '192.0.2.1', '192.0.2.1', '192.0.2.1']);
  time.now += daemonBounds.nameStaleMs;
  request('db.example');
  lookups[3]?.end(new Error('the name server failed'));
  assert.equal(received.at(-1), '');
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
  assert.equal(received.at(-1), '192.0.2.2');
});
