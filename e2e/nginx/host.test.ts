/** Compares the model of nginx in engine/hosts with the real nginx, byte for byte. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import limit from 'p-limit';
import { httpDirectives } from '../../cli/generate/nginx.ts';
import { knownTargets } from '../../conformance/differential/known.ts';
import { createRandom, type Random } from '../../conformance/differential/random.ts';
import { randomTarget } from '../../conformance/differential/targets.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { receives, receivesHeader } from '../../engine/hosts/nginx.ts';
import { asSent } from '../../engine/hosts/received.ts';
import { exchange, headEcho } from '../support/raw-exchange.ts';
import { nginxFolder, startNginx, withoutNginx } from './process.ts';

const seed = Number(process.env.GUARD_SEED ?? 1);
const count = Number(process.env.GUARD_TARGETS ?? 100_000);
const width = 32;
const shownDifferences = 10;

const pieces = [
  ...['/', '/', '/', '//', '.', '..', '/../', '/./', '/..', 'a', 'b', '.env', '%', '%zz', '%2', '%00', '%u002e'],
  ...['%2e', '%2E', '%2f', '%2F', '%25', '%23', '%3f', '%3F', '%2b', '%5c', '%0a', '%7f', '%80', '\\', '+', '&', ';'],
  ...[
    '?',
    '#',
    '?x',
    '#y',
    'http://',
    'HTTP://',
    'ht+p.-1://',
    'http:',
    '://',
    'h',
    'h.',
    'h..i',
    '.h',
    'h-',
    'h_',
    '@',
  ],
  ...[':', ':80', ':x', '[::1]', '[', ']', '[a!$]', '*', ' ', '\r', '\t', '\x00', '\x1f', '\x7f', '\x80', '\xff', '~'],
];

const absolute = (random: Random): string =>
  `${random.pick(['http', 'x-y.z+1', 'HTTPS'])}://${random.several(0, 3, () => random.pick(pieces)).join('')}`;

/** Removes the bytes that nginx always refuses from half of the targets: they would hide other differences. */
function target(random: Random, known: readonly string[]): string {
  const text = random.oneIn(2) ? randomTarget(random, known) : ofPieces(random);
  return random.oneIn(2) ? text.replace(/[\x00-\x20\x7f]/g, '').replace(/%(?![0-9A-Fa-f]{2})|%00/g, '') : text;
}

function ofPieces(random: Random): string {
  const text = random.several(0, 8, () => random.pick(pieces)).join('');
  return `${random.oneIn(4) ? absolute(random) : random.oneIn(5) ? '' : '/'}${text}`;
}

/** Generates targets without LF, which would end the request line. */
function* targets(): Generator<string> {
  const random = createRandom(seed);
  const known = knownTargets();
  for (let index = 0; index < count; index += 1) yield target(random, known).replaceAll('\n', '');
}

const guardless = (folder: string): string => `
${httpDirectives([Policy.parse({})])
  .map(({ text }) => text)
  .join('\n')}
server {
  listen unix:${folder}/nginx.sock;
  rewrite_by_lua_block { ngx.req.set_header("X-Received", ngx.encode_base64(ngx.var.request_uri)) }
  location / { proxy_pass http://unix:${folder}/backend.sock:; }
}`;

/** Starts nginx with a handler that returns the values that a guard would read. */
async function serve(t: TestContext): Promise<string> {
  const { folder } = nginxFolder({ http: '' });
  await headEcho(t, join(folder, 'backend.sock'));
  await startNginx(t, nginxFolder({ http: guardless(folder) }));
  return join(folder, 'nginx.sock');
}

type Seen =
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'passed'; readonly target: string; readonly backend: string };

function received(answer: string): Seen {
  const [, status = ''] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? assert.fail(`no answer: ${JSON.stringify(answer)}`);
  if (status !== '200') return { kind: 'refused', status: Number(status) };
  const [, backend = ''] = /\r\n\r\n[A-Z_-]+ ([^\n]*) HTTP\/1\.[01]\r\n/.exec(answer) ?? assert.fail(answer);
  const [, encoded = ''] = /^X-Received: (.*)\r$/m.exec(answer) ?? assert.fail(answer);
  return { kind: 'passed', target: Buffer.from(encoded, 'base64').toString('latin1'), backend };
}

function seenBy(target: string, method?: string): Seen {
  const model = receives(asSent({ target, ...(method !== undefined && { method }) }));
  if (model.kind === 'refused') return model;
  const { kind, backend } = model;
  return { kind, target: model.target, backend };
}

const head = (line: string): string => `${line}\r\nHost: x.test\r\nConnection: close\r\n\r\n`;

test('the model says what nginx does', { skip: withoutNginx }, async (t) => {
  const socket = await serve(t);
  const outcomes: Record<string, number> = {};
  const differences: string[] = [];
  await limit(width).map(targets(), async (one) => {
    const real = received(await exchange(socket, head(`GET ${one} HTTP/1.1`)));
    const model = seenBy(one);
    const name = real.kind === 'refused' ? String(real.status) : real.kind;
    outcomes[name] = (outcomes[name] ?? 0) + 1;
    if (JSON.stringify(real) !== JSON.stringify(model) && differences.length < shownDifferences)
      differences.push(JSON.stringify({ one, real, model }));
  });
  t.diagnostic(`${count} targets, seed ${seed}: ${JSON.stringify(outcomes)}`);
  assert.deepEqual(differences, []);
  assert.ok(Object.keys(outcomes).length > 1);
});

test('the longest line that nginx takes', { skip: withoutNginx }, async (t) => {
  const socket = await serve(t);
  for (const method of ['GET', 'OPTIONS'])
    for (const end of ['', '%zz', ' x', '\x01'])
      for (const length of [
        1000, 8192, 32_700, 32_740, 32_745, 32_746, 32_747, 32_748, 32_749, 32_750, 32_751, 32_752, 32_753, 32_754,
        32_755, 33_000,
      ]) {
        const one = `/${'a'.repeat(length - 1 - end.length)}${end}`;
        const real = received(await exchange(socket, head(`${method} ${one} HTTP/1.1`)));
        assert.deepEqual(seenBy(one, method), real, `${method}, ${length} bytes, end ${JSON.stringify(end)}`);
      }
});

test('methods that nginx takes', { skip: withoutNginx }, async (t) => {
  const socket = await serve(t);
  for (const method of [
    'GET',
    'HEAD',
    'get',
    'gEt',
    '*',
    'TRACE',
    'CONNECT',
    'OPTIONS',
    'PROPFIND',
    'A_B-C',
    'A1',
    'A.B',
  ])
    for (const one of ['/a', '/%zz', '*', 'h:443']) {
      const answer = await exchange(socket, head(`${method} ${one} HTTP/1.1`));
      const { kind } = receives(asSent({ target: one, method }));
      const real = method === 'HEAD' && answer.startsWith('HTTP/1.1 200') ? 'passed' : received(answer).kind;
      assert.equal(kind, real, `${method} ${one}`);
    }
});

test('header names that nginx takes', { skip: withoutNginx }, async (t) => {
  const socket = await serve(t);
  for (let code = 0x21; code < 0x7f; code += 1) {
    const name = `X${String.fromCharCode(code)}y`;
    if (name.includes(':')) continue;
    const answer = await exchange(socket, head(`GET / HTTP/1.1\r\n${name}: here`));
    assert.equal(answer.includes(`${name}: here`), receivesHeader(name), name);
  }
});
