import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { eventExamples } from '../../../contract/events/examples.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { ExternalError } from '../../../platform/errors.ts';
import { createFakeRuntime, type FakeContainer, type FakeRuntime, readyLine } from '../../testing/fake-containers.ts';
import { configVariable } from '../plan/archive.ts';
import { type PlanInput, planSandbox } from '../plan/plan.ts';
import { caddy } from '../targets/caddy.ts';
import { launch } from './lifecycle.ts';
import type { SandboxLine } from './output.ts';

const plan = (changes: Partial<PlanInput> = {}) =>
  planSandbox({
    ...{ target: caddy, image: 'image:1', session: 's1', ipv6: true, isolated: false, detach: false },
    ...{ stubs: false, passed: {} },
    sites: [{ policy: Policy.parse({}), hostPort: 8080 }],
    ...changes,
  });

const never = new AbortController().signal;
const start = (
  { containers }: FakeRuntime,
  changes: Partial<PlanInput> = {},
  signal = never,
  onLine = (_: SandboxLine) => {},
) => launch(plan(changes), containers, onLine, signal);

async function failure(work: Promise<unknown>): Promise<ExternalError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ExternalError, String(error));
  return error;
}

const exits = (reason: string, status: number) => (fake: FakeContainer) => {
  fake.say('Error: adapting config: boom');
  fake.say({ type: 'sandbox_exit', reason, message: `the proxy ended with status ${status}`, status });
  fake.end(status);
};

test('is ready when the runner reports it, and is removed when stopped', async () => {
  const runtime = createFakeRuntime();
  const sandbox = await start(runtime);
  assert.deepEqual([sandbox.readyMs, sandbox.peer], [7, '172.17.0.1']);
  assert.equal(runtime.present.size, 1);
  await sandbox.stop();
  await sandbox.stop();
  assert.equal(runtime.present.size, 0);
});

test('creates the probes for the peer while the proxy starts', async () => {
  const runtime = createFakeRuntime({ onStart: () => {} });
  const sandbox = await launch(
    plan(),
    runtime.containers,
    () => {},
    never,
    (peer) => {
      runtime.started[0]?.say(readyLine); // the proxy becomes ready only after the probes exist
      return `made for ${peer}`;
    },
  );
  assert.equal(sandbox.probes, 'made for 172.17.0.1');
  await sandbox.stop();
});

test('starts two containers and a network for an isolated sandbox, whose peer is the gate', async () => {
  const runtime = createFakeRuntime();
  const sandbox = await start(runtime, { isolated: true });
  assert.equal(sandbox.peer, '172.18.0.3');
  assert.equal(runtime.present.size, 3);
  await sandbox.stop();
  assert.equal(runtime.present.size, 0);
});

test('passes the configuration in a variable, or through standard input when it is large', async () => {
  const small = createFakeRuntime();
  await (await start(small)).stop();
  assert.ok(configVariable in (small.started[0]?.spec.env ?? {}));

  const blockPatterns = Array.from({ length: 1000 }, () => `^/${randomBytes(120).toString('hex')}`);
  const large = createFakeRuntime();
  const sites = [{ policy: Policy.parse({ blockPatterns }), hostPort: 8080 }];
  const sandbox = await start(large, { sites, detach: true });
  const [{ spec, container }] = large.started as [FakeContainer];
  assert.ok(!(configVariable in spec.env) && spec.stdin);
  container.stdin.end();
  assert.ok((await text(container.stdin as never)).startsWith('\u001f'));
  await sandbox.stop();
});

test('quotes the log of a proxy that fails to start, and removes everything', async () => {
  const runtime = createFakeRuntime({ onStart: exits('proxy_ended', 1) });
  const error = await failure(start(runtime));
  assert.equal(error.message, 'the sandbox ended: the proxy ended with status 1');
  assert.equal(error.failed.output, 'Error: adapting config: boom');
  assert.equal(runtime.present.size, 0);
});

test('names the memory limit, as reported by the runner', async () => {
  const error = await failure(start(createFakeRuntime({ onStart: exits('out_of_memory', 137) })));
  assert.equal(error.message, 'the sandbox ended: it was killed at its memory limit of 512 MiB');
  assert.equal(error.code, 'sandbox_out_of_memory');
});

test('does not call a removed container out of memory', async () => {
  const error = await failure(start(createFakeRuntime({ onStart: (fake) => fake.end(137) })));
  assert.match(error.message, /its container was removed, such as by guardcli cleanup, or killed at its memory limit/);
  assert.equal(error.code, 'sandbox_ended');
});

test('rejects the waiting caller when the sandbox ends later', async () => {
  const runtime = createFakeRuntime();
  const sandbox = await start(runtime);
  runtime.started[0]?.say({
    type: 'sandbox_exit',
    reason: 'proxy_ended',
    message: 'the proxy was ended by: killed',
    status: 137,
  });
  runtime.started[0]?.end(137);
  assert.match((await failure(sandbox.died)).message, /the proxy was ended by: killed/);
});

test('removes the first container when the second one fails', async () => {
  const runtime = createFakeRuntime({ refuses: /gate/ });
  assert.match((await failure(start(runtime, { isolated: true }))).message, /starting request-guard-gate-s1 failed/);
  assert.equal(runtime.present.size, 0);
});

test('removes everything after an interruption at any point of the start', async () => {
  for (const moment of ['before', 'starting', 'waiting'] as const) {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    if (moment === 'before') abort();
    const onStart = (): void => void (moment === 'starting' ? abort() : setImmediate(abort));
    const runtime = createFakeRuntime({ onStart });
    await assert.rejects(start(runtime, {}, controller.signal), { name: 'AbortError' }, moment);
    assert.equal(runtime.present.size, 0, moment);
  }
});

test('fails when the runner stays silent', async (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const timeout = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
  t.mock.method(AbortSignal, 'timeout', () => timeout);
  const runtime = createFakeRuntime({ onStart: () => {} });
  const error = await failure(start(runtime));
  assert.equal(error.message, 'the sandbox was not ready after 90 s');
  assert.equal(runtime.present.size, 0);
});

test('reports items that cannot be removed, with a hint', async () => {
  const runtime = createFakeRuntime({ onStart: exits('proxy_ended', 1), cannotRemove: true });
  runtime.containers.createNetwork({ name: 'request-guard-s1', labels: {} });
  const error = await failure(start(runtime));
  assert.match(error.hint ?? '', /guardcli cleanup/);
  assert.equal(error.code, 'sandbox_left');
});

test('removes everything else when one item cannot be removed', async () => {
  const runtime = createFakeRuntime({ cannotRemove: /gate/ });
  const sandbox = await start(runtime, { isolated: true });
  await assert.rejects(sandbox.stop(), /removing failed/);
  assert.deepEqual([...runtime.present], ['request-guard-gate-s1']);
});

test('passes lines of the guard to the caller', async () => {
  const runtime = createFakeRuntime();
  const seen: string[] = [];
  const sandbox = await start(runtime, {}, never, ({ type }) => seen.push(type));
  runtime.started[0]?.say(eventExamples.blocked);
  await sandbox.stop();
  await failure(sandbox.died);
  assert.deepEqual(seen, ['sandbox_ready', 'guard_block']);
});
