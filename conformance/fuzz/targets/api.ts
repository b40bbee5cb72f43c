/** Fuzzes the management API with almost valid requests. None may get an internal error. */
import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import type { Operation } from '../../../contract/api/operation.ts';
import { operations } from '../../../contract/api/operations.ts';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { daemonSchema } from '../../../contract/daemon/schema.ts';
import { createAccess } from '../../../daemon/api/access.ts';
import { createDispatcher, type Dispatch } from '../../../daemon/api/dispatch.ts';
import { createHub } from '../../../daemon/api/events/hub.ts';
import { createApiServer } from '../../../daemon/api/server.ts';
import { testCore } from '../../../daemon/api/testing/core.ts';
import { createPace, createTurns } from '../../../daemon/api/turns.ts';
import type { Random } from '../../differential/random.ts';
import { mutateBytes } from '../documents.ts';
import { createTarget } from '../target.ts';

const bodies = [
  '{"ip":"203.0.113.7","duration":"1h30m","reason":"x"}',
  '{"ip":"2001:db8::/32","replace":true}',
  '{"ip":"192.0.2.1","service":"ssh","reason":"failed login"}',
];
const pieces = [
  ...[
    '\r\n',
    '\n',
    '\0',
    ' ',
    ':',
    '%',
    '%ff',
    '"',
    '{',
    '[',
    '/',
    '?',
    '&',
    '=',
    '\\u0000',
    '\xff',
    '1e999',
    ';',
    ',',
  ],
  ...[
    '\r\n\r\n',
    'HTTP/1.0',
    'HEAD',
    'Host: a\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Content-Length: 9\r\n',
    '5\r\n',
  ],
  ...['Expect: 100-continue\r\n', 'Origin: null\r\n', '__proto__', 'cursor=', 'limit=0', '"ip":{}', '0'.repeat(200)],
].map((piece) => Buffer.from(piece, 'latin1'));

const mutateText = (text: string, random: Random): string =>
  random.oneIn(2) ? mutateBytes(Buffer.from(text), random, pieces, 2).toString('latin1') : text;

/** Leaves out the event stream, whose response does not end. */
const testedOperations = (Object.values(operations) as Operation[]).filter(
  ({ path }) => path !== operations.events.path,
);

/**
 * Returns a request. Its target and its body can be mutated. One of three requests has mutations at random positions.
 */
function mutatedRequest(random: Random): Buffer {
  const { method, path } = random.pick(testedOperations);
  const target = mutateText(`/api${path}?limit=5&ip=192.0.2.1&origin=all&cursor=local:`, random);
  const body = method === 'GET' ? '' : mutateText(random.pick(bodies), random);
  const head = `${method} ${random.oneIn(2) ? path : target} HTTP/1.1\r\nHost: localhost\r\n`;
  const type = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const request = Buffer.from(`${head}${type}\r\n${body}`, 'latin1');
  return random.oneIn(3) ? mutateBytes(request, random, pieces, 2) : request;
}

const control = testCore();
const access = createAccess(daemonSchema().parse({}).api);
const context: Dispatch = {
  control,
  hub: createHub(control, 0, daemonBounds),
  now: () => control.startedAt,
  needsToken: () => false,
  access: () => access,
  checkRate: () => undefined,
  turn: createTurns(daemonBounds.apiPipelined),
  pace: createPace(),
};
const server = createApiServer((places) => createDispatcher(context, places, true), daemonBounds);

async function check(bytes: Buffer): Promise<void> {
  const [client, ours] = duplexPair();
  server.emit('connection', ours);
  client.write(bytes);
  // Waits for the dispatcher's response. When the client ends an unfinished body, Node itself refuses the request.
  for (let turns = 2; turns > 0; turns -= 1) await turn();
  client.end();
  const answer = await text(client).catch(() => 'cut off');
  assert.deepEqual(control.faults, []);
  assert.match(answer, /^(?:HTTP\/1\.1 [1-4]\d\d |cut off$|$)/);
}

export const apiRequests = createTarget({
  name: 'API requests',
  make: mutatedRequest,
  check,
});
