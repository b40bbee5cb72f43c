import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOfPeer } from '../../address/client.ts';
import type { LoginRequest } from '../../logins/places.ts';
import type { FromWorker } from '../link/messages.ts';
import { FailingClients } from './failing-clients.ts';
import { RemotePlaces } from './remote-places.ts';

const client = clientOfPeer({ ip: '192.0.2.1', port: 1 });
const login: LoginRequest = { client, service: 'redis', user: 'a', most: 7, windowMs: 60_000 };

function setUp() {
  const failing = new FailingClients(() => 0);
  const posted: FromWorker[] = [];
  const places = new RemotePlaces({ link: { post: (item) => void posted.push(item) }, failing });
  const fail = () => {
    failing.add(client.key);
    places.report(client.key);
  };
  return { places, posted, fail };
}

const message = (number: number, isJudged: boolean) => ({
  ...{
    kind: 'login',
    number,
    ip: client.ip,
    port: 1,
    service: 'redis',
    most: 7,
    windowMs: 60_000,
    isJudged,
    user: 'a',
  },
});

test('logins of a client without failures need no message', () => {
  const { places, posted } = setUp();
  let granted = 0;
  places.request(login, () => granted++)('success');
  assert.deepEqual([granted, posted], [1, []]);
});

test('the coordinator decides on a login of a client that has another one open', () => {
  const { places, posted } = setUp();
  let granted = 0;
  places.request(login, () => granted++);
  places.request(login, () => granted++);
  assert.deepEqual([granted, posted], [1, [message(1, true), message(2, false)]]);
});

test('the open logins of a client that begins to fail are reported once', () => {
  const { places, posted, fail } = setUp();
  const end = places.request(login, () => {});
  fail();
  fail();
  end('failure');
  assert.deepEqual(posted, [message(1, true), { kind: 'login_ended', number: 1, outcome: 'failure' }]);
});

test('a login of a failing client waits for the coordinator', () => {
  const { places, posted, fail } = setUp();
  fail();
  const granted: string[] = [];
  places.request(login, () => granted.push('first'));
  const endSecond = places.request(login, () => granted.push('second'));
  assert.deepEqual([granted, posted], [[], [message(1, false), message(2, false)]]);
  places.granted(1);
  endSecond(); // the client has closed
  places.granted(2); // the grant was on its way
  assert.deepEqual(granted, ['first']);
  assert.deepEqual(posted[2], { kind: 'login_ended', number: 2 });
});
