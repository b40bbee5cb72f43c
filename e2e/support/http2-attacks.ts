/**
 * Attacks over HTTP/2 in forms that only raw frames have. Whatever a proxy makes of them, the engine must allow each request
 * that its backend receives, and the proxy must serve the next client.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { requirePolicy } from '../../contract/load/policy.ts';
import { compile } from '../../engine/index.ts';
import { block, type Field, flags, frame, padded, sendFrames } from './http2-frames.ts';
import { listen } from './listen.ts';

/** Keys of the policy of each proxy, as in guard.json. */
export const attackPolicy = {
  methods: ['*'],
  checkQuery: true,
  checkBody: true,
  checkHeaders: ['X-Original-URL', 'Cookie'],
} as const;

const { endStream, endHeaders } = flags;
export const get = (path: string): Field[] => [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', 'attack.example'],
  [':path', path],
];
export const post: Field[] = [
  [':method', 'POST'],
  ...get('/form').slice(1),
  ['content-type', 'application/x-www-form-urlencoded'],
];
export const hidden = 'GET /.env HTTP/1.1\r\nHost: attack.example\r\n\r\n';

const headers = (fields: readonly Field[], flag = endStream | endHeaders): Buffer =>
  frame('headers', flag, block(fields));
const data = (bytes: string, flag: number = endStream): Buffer => frame('data', flag, Buffer.from(bytes, 'latin1'));
const bytewise = (payload: Buffer): Buffer[] => Array.from(payload, (byte) => Buffer.of(byte));

/** Sends a block in CONTINUATION frames, one for each piece. */
const continued = (pieces: readonly Buffer[]): Buffer[] => [
  frame('headers', endStream, Buffer.alloc(0)),
  ...pieces.map((piece, index) => frame('continuation', index === pieces.length - 1 ? endHeaders : 0, piece)),
];

const empty = Array.from({ length: 200 }, () => Buffer.alloc(0));
const attack = block(get('/.env'));

/** Header blocks, which HTTP/3 has too. */
export const fields: Readonly<Record<string, readonly Field[]>> = {
  'a plain request': get('/.env'),
  'a second path': [...get('/ok'), [':path', '/.env']],
  'a path before the true one': [[':path', '/.env'], ...get('/ok')],
  'a path behind the headers': [...get('/ok').slice(0, 3), ['accept', '*/*'], [':path', '/.env']],
  'no authority': get('/.env').filter(([name]) => name !== ':authority'),
  'a host that is not the authority': [...get('/.env'), ['host', 'other.example']],
  'a foreign pseudo header': [...get('/.env'), [':status', '200']],
  'an absolute path': get('http://attack.example/.env'),
  'a path without its slash': get('.env'),
  'an empty path and one in a header': [...get(''), ['x-original-url', '/.env']],
  'a line end in the path': get('/ok HTTP/1.1\r\nX-Original-URL: /.env\r\nA: b'),
  'a line feed in a value': [...get('/ok'), ['a', 'b\nX-Original-URL: /.env']],
  'a line end in a value': [...get('/ok'), ['a', 'b\r\nX-Original-URL: /.env']],
  'a line end in a name': [...get('/ok'), ['a: b\r\nx-original-url', '/.env']],
  'a NUL in a value': [...get('/ok'), ['x-original-url', '/.env\0']],
  'a NUL in the path': get('/.env\0'),
  'a name in capitals': [...get('/ok'), ['X-Original-URL', '/.env']],
  'a name with an underscore': [...get('/ok'), ['x_original_url', '/.env']],
  'blanks around a value': [...get('/ok'), ['x-original-url', ' \t/.env ']],
  'two lines of a header': [...get('/ok'), ['x-original-url', '/ok'], ['x-original-url', '/.env']],
  'cookies in pieces': [...get('/ok'), ['cookie', 'a=b'], ['cookie', 'lang=../.env']],
  'an upgrade': [
    ...get('/.env'),
    ['connection', 'Upgrade, HTTP2-Settings'],
    ['upgrade', 'h2c'],
    ['http2-settings', ''],
  ],
  'a CONNECT': [
    [':method', 'CONNECT'],
    [':authority', 'attack.example:80'],
  ],
  'an extended CONNECT': [[':method', 'CONNECT'], [':protocol', 'websocket'], ...get('/.env').slice(1)],
  'an extended CONNECT of another protocol': [[':method', 'CONNECT'], [':protocol', 'h2c'], ...get('/.env').slice(1)],
  'a method with a target': [[':method', 'GET /.env HTTP/1.1\r\nA:'], ...get('/ok').slice(1)],
  'an unknown method': [[':method', 'BREW'], ...get('/.env').slice(1)],
};

/** Frames in other forms than one HEADERS frame. */
const framed: Readonly<Record<string, readonly Buffer[]>> = {
  'frames of one byte': continued(bytewise(attack)),
  'empty frames behind the headers': continued([attack, ...empty]),
  'empty frames before the headers': continued([...empty, attack]),
  'padded headers': [frame('headers', endStream | endHeaders | flags.padded, padded(attack, 200))],
  'padding beyond the frame': [
    frame('headers', endStream | endHeaders | flags.padded, Buffer.concat([Buffer.of(255), attack])),
  ],
  'a path in trailers': [headers([...get('/ok'), ['te', 'trailers']], endHeaders), headers([[':path', '/.env']])],
  'a header in trailers': [
    headers([...post, ['trailer', 'x-original-url']], endHeaders),
    data('a=b', 0),
    headers([['x-original-url', '/.env']]),
  ],
  'a body of one byte a frame': [
    headers(post, endHeaders),
    ...[...'file=../.env'].map((byte) => data(byte, 0)),
    data(''),
  ],
  'a padded body': [
    headers(post, endHeaders),
    frame('data', flags.padded, padded(Buffer.from('file=../'), 100)),
    frame('data', flags.padded | endStream, padded(Buffer.from('.env'), 100)),
  ],
  'a request in a body that has no length': [headers([...post, ['content-length', '0']], endHeaders), data(hidden)],
  'a request behind a chunked body': [
    headers([...post, ['transfer-encoding', 'chunked']], endHeaders),
    data(`0\r\n\r\n${hidden}`),
  ],
  'a request behind two lengths': [
    headers([...post, ['content-length', '3'], ['content-length', '99']], endHeaders),
    data(`a=b${hidden}`),
  ],
  'a request in a CONNECT': [headers(fields['a CONNECT'] as Field[], endHeaders), data(hidden)],
};

const attacks: Readonly<Record<string, readonly Buffer[]>> = {
  ...Object.fromEntries(Object.entries(fields).map(([name, list]) => [name, [headers(list)]])),
  ...framed,
};

export interface RecordingBackend {
  readonly port: number;
  /** Targets that the engine blocks, of requests that arrived all the same. */
  readonly blocked: readonly string[];
  readonly targets: readonly string[];
}

/** Starts a backend that judges what arrives, with the reference engine. */
export async function startRecording(t: TestContext): Promise<RecordingBackend> {
  const guard = compile(requirePolicy(Buffer.from(JSON.stringify(attackPolicy)), 'policy'));
  const [blocked, targets]: [string[], string[]] = [[], []];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url: target = '', rawHeaders } = request;
      const lines = rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
      );
      targets.push(target);
      if (guard.evaluate({ method, target, headers: lines, body }).verdict === 'blocked') blocked.push(target);
      response.end('fine');
    });
  });
  server.on('connect', (_request, socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  return { port: await listen(t, server), blocked, targets };
}

/** Sends each attack to a proxy, and after it an honest request for `/after`. */
export async function checkEach<Attack>(
  t: TestContext,
  backend: RecordingBackend,
  attacks: Readonly<Record<string, Attack>>,
  honest: Attack,
  send: (t: TestContext, attack: Attack) => Promise<unknown>,
): Promise<void> {
  for (const [name, attack] of Object.entries(attacks))
    await t.test(name, async (t) => {
      const [known, before] = [backend.blocked.length, backend.targets.length];
      await send(t, attack);
      await send(t, honest);
      // What a proxy sends of an attack can arrive when its client has the answer, so '/after' need not be alone.
      assert.ok(backend.targets.slice(before).includes('/after'));
      assert.deepEqual(backend.blocked.slice(known), []);
    });
}

export const checkAttacks = (t: TestContext, port: number, backend: RecordingBackend): Promise<void> =>
  checkEach(t, backend, attacks, [headers(get('/after'))], (t, frames) => sendFrames(t, port, frames));
