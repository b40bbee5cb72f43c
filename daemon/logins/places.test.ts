import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { clientOfPeer } from '../address/client.ts';
import { type LoginOutcome, LoginPlaces, type LoginRequest } from './places.ts';

const address = '192.0.2.1';

const request = (user: string | undefined, ip = address): LoginRequest => ({
  client: clientOfPeer({ ip, port: 1 }),
  service: 'redis',
  user,
  most: 3,
  windowMs: 60_000,
});

function setUp(failing = [address]) {
  const state = { failing: new Set(failing), banned: new Set<string>() };
  const places = new LoginPlaces({
    isFailing: ({ ip }) => state.failing.has(ip),
    isBanned: (ip) => state.banned.has(ip),
  });
  const granted: string[] = [];
  const ask = (user: string, ip = address) => places.request(request(user, ip), () => granted.push(user));
  const askAll = (...users: string[]) => users.map((user) => ask(user)) as ((outcome?: LoginOutcome) => void)[];
  return { state, places, granted, ask, askAll };
}

test('a failing client waits for a place, and gets one in the order of its requests', () => {
  const { granted, askAll, places } = setUp();
  const [a, b, c, d, e] = askAll('a', 'b', 'c', 'd', 'e');
  assert.deepEqual(granted, ['a', 'b', 'c']);
  b?.('failure');
  b?.('failure'); // later calls have no effect
  assert.deepEqual(granted, ['a', 'b', 'c', 'd']);
  for (const end of [a, c, d]) end?.();
  assert.deepEqual(granted, ['a', 'b', 'c', 'd', 'e']);
  e?.();
  assert.equal(places.size, 0);
});

test('a login that ends while it waits takes no place', () => {
  const { granted, askAll, places } = setUp();
  const [a, b, c, d, e] = askAll('a', 'b', 'c', 'd', 'e');
  d?.();
  a?.();
  assert.deepEqual(granted, ['a', 'b', 'c', 'e']);
  for (const end of [b, c, e]) end?.();
  assert.equal(places.size, 0);
});

test('a client without failures gets more places, and fewer again when it fails', () => {
  const { state, granted, ask } = setUp([]);
  const ends = Array.from({ length: 30 }, (_, index) => ask(`${index}`));
  assert.equal(granted.length, daemonBounds.firstJudgedLogins);
  ends[0]?.('success');
  ask('0');
  assert.equal(granted.length, daemonBounds.firstJudgedLogins + 2, 'the next one, and a user that has logged in');
  state.failing.add(address);
  for (const end of ends.slice(1, 10)) end('failure');
  assert.equal(granted.length, daemonBounds.firstJudgedLogins + 2);
});

test('places are counted for each client, and logins from before its first failure count', () => {
  const { state, granted, ask } = setUp([]);
  for (const user of ['a', 'b', 'c', 'd']) ask(user);
  assert.equal(granted.length, 4, 'a client without failures does not wait');
  state.failing.add(address);
  ask('e');
  ask('f', '192.0.2.2');
  assert.deepEqual(granted, ['a', 'b', 'c', 'd', 'f']);
});

test('a success exempts further logins of the same user only, until that user fails', () => {
  const { granted, askAll, ask } = setUp();
  const [a] = askAll('a', 'b', 'c');
  a?.('success');
  askAll('d', 'e', 'a');
  assert.deepEqual(granted, ['a', 'b', 'c', 'd', 'a']);
  ask('a')('failure');
  ask('a');
  assert.deepEqual(granted, ['a', 'b', 'c', 'd', 'a', 'a']);
});

test('no login of a banned client is judged', () => {
  const { state, granted, askAll } = setUp();
  const [a] = askAll('a', 'b', 'c', 'd');
  state.banned.add(address);
  a?.('failure');
  askAll('e');
  assert.deepEqual(granted, ['a', 'b', 'c']);
});

test('logins without a name are never exempt', () => {
  const { places } = setUp();
  let granted = 0;
  const ask = () => places.request(request(undefined), () => granted++);
  ask()('success');
  for (let index = 0; index < 5; index += 1) ask();
  assert.equal(granted, 1 + 3);
});
