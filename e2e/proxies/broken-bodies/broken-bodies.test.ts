/** Unreadable bodies get 400, and affect neither the proxy nor another client. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import limit from 'p-limit';
import { modes } from '../../../contract/policy/modes.ts';
import { until } from '../../../platform/testing/until.ts';
import { listen } from '../../support/listen.ts';
import { brokenFrames, frameShapes } from './frames.ts';
import { descriptors, type Policies, type ProxyRow, proxies, type RunningProxy } from './proxies.ts';
import { createRandom, type Random } from './random.ts';
import { send } from './send.ts';
import { type BrokenRequest, brokenRequest, shapes, types } from './shapes.ts';

const count = Number(process.env.GUARD_BROKEN_BODIES ?? 5_000);
const seed = 20_240;
const width = 48;
/** Maximum number of held responses. It applies to the whole process, so all policies have the same value. */
const maxHeld = 12;
/** Descriptors or goroutines that may remain for idle connections and for the runtime. */
const toleratedGrowth = 60;

const form = 'application/x-www-form-urlencoded';
const clean = '/up/clean';
const blocked = '/up/.env';

const held = { maxHeld, maxHeldPerAddress: maxHeld };
const options: Readonly<Record<string, object>> = {
  redirect: { redirectUrl: 'https://away.example/' },
  gzip_bomb: { gzipBombMb: 2, ...held },
  tarpit: { tarpitDelayMs: 50, tarpitMaxDurationSeconds: 5, ...held },
  infinite_stream: { streamSizeMb: 1, ...held },
  captcha: { captcha: { provider: 'turnstile', siteKey: 'x' }, ...held },
};

function policiesFor(mirror: string): Policies {
  const own: Readonly<Record<string, object>> = { ...options, proxy: { proxyUrl: mirror, ...held } };
  const all = { methods: ['*'], checkQuery: true, checkBody: true, maxBodyBytes: 4096, securityLog: false } as const;
  const modePolicies = Object.keys(modes).map((mode) => [mode, { ...all, response: { mode, ...own[mode] } }]);
  return { ...Object.fromEntries(modePolicies), detect: { ...all, mode: 'detect' } };
}

/** Starts a backend that reads each body to its end. */
async function startBackend(t: TestContext): Promise<string> {
  // Node would close an idle connection even with a request in flight, and proxies do not retry a POST.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.on('error', () => {}).on('end', () => response.end('passed'));
    request.resume();
  });
  return `http://127.0.0.1:${await listen(t, server)}`;
}

interface GeneratedRequest extends BrokenRequest {
  readonly isHttp2: boolean;
}

/** Generates a request with a random policy and target. The kinds take turns. */
function generateRequest(index: number, names: readonly string[], random: Random): GeneratedRequest {
  const kinds = Object.keys(shapes);
  const policy = random.pick(names);
  const target = random.pick([clean, clean, blocked]);
  const type = random.pick([form, form, ...types]);
  const kind = index % (kinds.length + frameShapes.length);
  const shape = shapes[kinds[kind] ?? ''];
  if (shape) return { ...brokenRequest(shape(random), type, policy, target), isHttp2: false };
  const frames = frameShapes[kind - kinds.length] as string;
  return { ...brokenFrames(frames, type, policy, target, random), isHttp2: true };
}

const statusOf = (answer: string): number => Number(/HTTP\/1\.1 (?!100)(\d+)/.exec(answer)?.[1] ?? 0);

const post = (port: number, policy: string, body: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${clean}`, {
    method: 'POST',
    headers: { 'Content-Type': form, 'X-Policy': policy },
    body,
  });

async function startProxy(t: TestContext, row: ProxyRow): Promise<{ proxy: RunningProxy; names: readonly string[] }> {
  const [origin, mirror] = [await startBackend(t), await startBackend(t)];
  const policies = policiesFor(mirror);
  const proxy = await row.start(t, policies, origin);
  await until(
    () =>
      post(proxy.port, 'text', 'f=a').then(
        ({ status }) => status === 200,
        () => false,
      ),
    'the proxy to serve',
  );
  return { proxy, names: Object.keys(policies) };
}

/** Sends benign requests until `isOver`. Counts each different outcome: status with body, or error. */
async function sendBenign(port: number, isOver: () => boolean): Promise<ReadonlyMap<number | string, number>> {
  const statuses = new Map<number | string, number>();
  for (let index = 0; !isOver(); index += 1) {
    const status = await post(port, index % 2 ? 'text' : 'tarpit', `f=${index}`).then(
      async (response) => `${response.status} ${await response.text()}`,
      (error: Error) => String(error.cause ?? error),
    );
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  return statuses;
}

/** Returns whether the proxy can hold exactly `maxHeld` responses in mode tarpit. */
async function hasAllSlots(port: number): Promise<boolean> {
  const sockets: Socket[] = [];
  const requestTarpit = async (): Promise<number> => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {}).write(`GET ${blocked} HTTP/1.1\r\nHost: x.test\r\nX-Policy: tarpit\r\n\r\n`);
    const [head] = await once(socket, 'data');
    return statusOf(String(head));
  };
  const statuses = await Promise.all(Array.from({ length: maxHeld }, requestTarpit));
  const next = await requestTarpit();
  for (const socket of sockets) socket.destroy();
  return statuses.every((status) => status === 200) && next === 403;
}

for (const [name, row] of Object.entries(proxies)) {
  const skip = row.without ?? false;

  test(`${name} answers 400 to a body that cannot be read, in every response mode`, { skip }, async (t) => {
    const { proxy, names } = await startProxy(t, row);
    const random = createRandom(seed);
    for (const [kind, shape] of Object.entries(shapes))
      for (const policy of names) {
        const made = shape(random);
        if (!made.isRefused) continue;
        const answer = await send(proxy.port, brokenRequest(made, form, policy, clean));
        assert.equal(statusOf(answer), 400, `${kind}, ${policy}: ${JSON.stringify(answer)}`);
        assert.match(answer, /^Connection: close\r$/im, `${kind}, ${policy}`);
      }
    assert.notEqual(proxy.pids().length, 0);
  });

  test(`${name} outlives ${count} broken bodies and leaks nothing`, { skip, timeout: 600_000 }, async (t) => {
    const { proxy, names } = await startProxy(t, row);
    const pids = proxy.pids();
    const before = { goroutines: await proxy.goroutines(), descriptors: descriptors(pids) };
    const random = createRandom(seed);
    let isOver = false;
    const benignOutcomes = sendBenign(proxy.port, () => isOver);
    const statuses = new Map<number, number>();
    await limit(width).map(
      Array.from({ length: count }, (_, index) => index),
      async (index) => {
        const sent = generateRequest(index, names, random);
        const status = statusOf(await send(sent.isHttp2 ? proxy.http2Port : proxy.port, sent));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      },
    );
    isOver = true;
    const outcomes = await benignOutcomes;
    t.diagnostic(JSON.stringify({ statuses: [...statuses], benign: [...outcomes] }));
    assert.deepEqual(proxy.pids(), pids, proxy.output().slice(-2000));
    assert.deepEqual([...outcomes.keys()], ['200 passed']);
    await until(async () => descriptors(pids) <= before.descriptors + toleratedGrowth, 'descriptors to close');
    await until(async () => {
      const now = await proxy.goroutines();
      return now === undefined || now <= (before.goroutines ?? 0) + toleratedGrowth;
    }, 'goroutines to end');
    t.diagnostic(JSON.stringify({ before, after: [await proxy.goroutines(), descriptors(pids)] }));
    assert.doesNotMatch(proxy.output(), /panic:|background task|exited on signal|lua entry thread aborted/);
    await until(() => hasAllSlots(proxy.port), 'all slots to be free, and no more');
  });
}
