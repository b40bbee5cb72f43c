import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { inspectors } from '../inspectors/index.ts';
import { serviceOf } from '../inspectors/testing/vectors.ts';
import type { LoginOutcome } from '../logins/places.ts';
import type { HeldChunk } from '../plane/plane.ts';
import { Inspection } from './inspection.ts';
import { LoginGate } from './login-gate.ts';

const fingerprintKey = createSecretKey('key', 'latin1');
const bytes = (text: string) => Buffer.from(text, 'latin1');

function setUp(isFree: boolean, protocol: 'redis' | 'http' = 'redis') {
  const context = { service: serviceOf(protocol), client: '192.0.2.1', guard: undefined, fingerprintKey };
  const inspection = new Inspection(inspectors[protocol].open(context), {
    login: () => {},
    fault: (error) => assert.fail(error as Error),
  });
  const log: string[] = [];
  let grant = () => {};
  const owner = {
    requestPlace: ({ user }: { readonly user: string | undefined }, granted: () => void) => {
      log.push(`request ${user}`);
      if (isFree) granted();
      else grant = granted;
      return (outcome?: LoginOutcome) => void log.push(`end ${outcome}`);
    },
    resume: () => void log.push('resume'),
    expire: () => log.push('expire') === 0,
  };
  const gate = new LoginGate(inspection, owner, 60_000);
  const reply = (text: string, outcome?: LoginOutcome) => {
    assert.equal(inspection.inspect('server', bytes(text)), undefined);
    gate.settle(outcome);
  };
  const send = (text: string | Uint8Array) => {
    const verdict = gate.inspect(typeof text === 'string' ? bytes(text) : text);
    if (verdict === undefined) return 'passes';
    return typeof verdict === 'string'
      ? verdict
      : ([verdict.passedBytes, Buffer.from(verdict.held).toString()] as const);
  };
  return { gate, log, reply, send, grant: () => grant() };
}

test('keeps the bytes behind a login until the reply, and counts them', () => {
  const { gate, log, reply, send } = setUp(true);
  assert.deepEqual(send('AUTH a x\r\nPING\r\n'), [10, 'PING\r\n']);
  assert.equal(gate.heldBytes, 6);
  reply('-WRONGPASS no\r\n', 'failure');
  assert.deepEqual(log, ['request a', 'end failure', 'resume']);
  assert.equal(send('PING\r\n'), 'passes');
  assert.equal(gate.heldBytes, 0);
});

test('relays no byte of credentials before they have a place, and inspects them once', () => {
  const { gate, log, reply, send, grant } = setUp(false);
  assert.deepEqual(send('AUTH a x\r\nPING\r\n'), [0, 'AUTH a x\r\nPING\r\n']);
  assert.deepEqual(send('AUTH a x\r\nPING\r\n'), [0, 'AUTH a x\r\nPING\r\n'], 'a plane may offer the bytes again');
  assert.equal(gate.heldBytes, 16);
  grant();
  assert.deepEqual(log, ['request a', 'resume']);
  assert.deepEqual(send('AUTH a x\r\nPING\r\n'), [10, 'PING\r\n']);
  reply('-WRONGPASS no\r\n', 'failure');
  assert.deepEqual(log.slice(2), ['end failure', 'resume']);
});

for (const [queued, isFailure] of [
  ['PING\r\nAUTH b x\r\n', true],
  ['PING\r\nGET a\r\n', false],
  ['', false],
] as const)
  test(`a login without an answer is ${isFailure ? 'a failure' : 'not a failure'} before ${JSON.stringify(queued)}`, () => {
    const { gate, log, send } = setUp(true);
    send(`AUTH a x\r\n${queued}`);
    assert.deepEqual(gate.close(), isFailure ? { user: 'a' } : undefined);
    assert.deepEqual(log, ['request a', 'end undefined']);
    assert.equal(gate.heldBytes, 0);
  });

test('counts the memory of a chunk of which only the end waits, and frees it at the end', () => {
  const { gate, reply } = setUp(true);
  const first = gate.inspect(bytes('AUTH a x\r\nPING\r\nAUTH b x\r\nP')) as HeldChunk;
  reply('-WRONGPASS no\r\n', 'failure');
  const { held } = gate.inspect(first.held) as HeldChunk;
  assert.equal(held.length, 1);
  assert.equal(gate.heldBytes, first.held.length);
  gate.close();
  assert.equal(gate.heldBytes, 0);
  assert.equal(held.length, 0);
});

test('a pipelined request that repeats its credentials is not a further guess', () => {
  const request = (password: string) =>
    `GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${bytes(`u:${password}`).toString('base64')}\r\n\r\n`;
  for (const [second, unanswered] of [
    ['x', undefined],
    ['y', { user: 'u' }],
  ] as const) {
    const { gate, send } = setUp(true, 'http');
    send(request('x') + request(second));
    assert.deepEqual(gate.close(), unanswered);
  }
});

test('a login that still waits for a place is not judged, so its end is not a failure', () => {
  const { gate, send } = setUp(false);
  send('AUTH a x\r\nAUTH b x\r\n');
  assert.equal(gate.close(), undefined);
});

test('requests another place for other credentials of a stream of HTTP/2', () => {
  const { log, send } = setUp(true, 'http');
  const headers = (stream: number, user: string) => {
    const basic = `Basic ${Buffer.from(`${user}:x`).toString('base64')}`;
    const block = Buffer.concat([Buffer.from([0x0f, 0x08, basic.length]), bytes(basic)]); // 23 of the static table
    return Buffer.concat([Buffer.from([0, 0, block.length, 1, 4, 0, 0, 0, stream]), block]);
  };
  assert.equal(send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'), 'passes');
  assert.equal(send(headers(1, 'a')), 'passes');
  assert.equal(send(headers(3, 'b')), 'passes');
  assert.deepEqual(log, ['request a', 'end undefined', 'request b']);
});
