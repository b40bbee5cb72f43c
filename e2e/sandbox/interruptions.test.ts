/** Interrupts a sandbox at every stage. It must end with a clear message and leave nothing behind. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { removeSession } from '../../cli/sandbox/session/lifecycle.ts';
import { connect, diskFiles } from '../../containers/connect.ts';
import { open } from '../../containers/docker.ts';
import { until } from '../../platform/testing/until.ts';
import {
  containersOn,
  freePort,
  networksOf,
  sessionOn,
  skip,
  start,
  temporaryFile,
  untilGone,
} from '../support/guardcli.ts';
import { openRelay } from './relay.ts';

/** Requests at which a sandbox is interrupted. */
const stages = {
  'the container runtime is asked who it is': /^GET \/version/,
  'the image is looked for': /^GET \/images\//,
  'the container is created': /^POST \/containers\/create/,
  'its outputs are attached': /^POST \/containers\/\w+\/attach/,
  'the container is started': /^POST \/containers\/\w+\/start/,
  'its address is looked up': /^GET \/containers\/\w+\/json/,
} as const;

const sandbox = (port: number): string[] => [
  ...['sandbox', 'caddy', temporaryFile('guard.json', {}), '--port', String(port)],
];

/** Removes the sandbox after the test. guardcli cannot, because its container runtime is out of reach. */
async function removedAfter(t: TestContext, port: number): Promise<void> {
  const session = await sessionOn(port);
  t.after(async () => removeSession(await connect(process.env, diskFiles, open), session));
}

for (const [stage, request] of Object.entries(stages)) {
  test(`Ctrl-C while ${stage}`, { skip }, async (t) => {
    const relay = await openRelay(t);
    const port = await freePort();
    const reached = relay.hold(request);
    const running = start(t, [...sandbox(port), '--test'], relay.env);
    await reached;
    running.child.kill('SIGINT');
    relay.release();
    assert.equal(await running.ended, 130, running.stderr());
    assert.match(running.stderr(), /interrupted\n$/);
    assert.deepEqual(await containersOn(port), []);
  });
}

test('Ctrl-C while the image is built', { skip }, async (t) => {
  const relay = await openRelay(t);
  relay.deny(/^GET \/images\//); // makes guardcli build the image again
  const reached = relay.hold(/^POST \/build/);
  const running = start(t, sandbox(await freePort()), relay.env);
  await reached;
  running.child.kill('SIGINT');
  assert.equal(await running.ended, 130, running.stderr());
  assert.match(running.stderr(), /interrupted\n$/);
});

test('Ctrl-C while probes are sent', { skip }, async (t) => {
  const port = await freePort();
  const running = start(t, [...sandbox(port), '--test']);
  await running.says('sending the probes ...');
  running.child.kill('SIGINT');
  assert.equal(await running.ended, 130);
  assert.equal(running.stdout(), '');
  assert.deepEqual(await containersOn(port), []);
});

test('SIGTERM is the same as Ctrl-C', { skip }, async (t) => {
  const port = await freePort();
  const running = start(t, sandbox(port));
  await running.says('serving on');
  running.child.kill('SIGTERM');
  assert.equal(await running.ended, 130);
  assert.deepEqual(await containersOn(port), []);
});

for (const stage of ['its outputs are attached', 'the container is started'] as const) {
  test(`kill -9 while ${stage}, after it was created`, { skip }, async (t) => {
    const relay = await openRelay(t);
    const port = await freePort();
    const reached = relay.hold(stages[stage]);
    const running = start(t, [...sandbox(port), '--isolated'], relay.env);
    await reached;
    await until(async () => (await containersOn(port)).length > 0, 'the gate to be created');
    const session = await sessionOn(port);
    running.child.kill('SIGKILL');
    await running.ended;
    relay.release();
    await untilGone(port);
    await until(async () => (await networksOf(session)).length === 0, 'its network to go');
  });
}

test('a container runtime that goes away while events are followed is said, and the sandbox ends by itself', {
  skip,
}, async (t) => {
  const relay = await openRelay(t);
  const port = await freePort();
  const running = start(t, sandbox(port), relay.env);
  await running.says('serving on');
  await removedAfter(t, port);
  await relay.cut();
  assert.equal(await running.ended, 3);
  assert.match(running.stderr(), /error: waiting for the sandbox failed\.\n {2}\| /);
  assert.match(running.stderr(), /guardcli cleanup/);
  await untilGone(port);
});

test('a container runtime that goes away while the container starts is said too', { skip }, async (t) => {
  const relay = await openRelay(t);
  const port = await freePort();
  const reached = relay.hold(stages['the container is started']);
  const running = start(t, [...sandbox(port), '--test'], relay.env);
  await reached;
  await removedAfter(t, port);
  await relay.cut();
  assert.equal(await running.ended, 3);
  assert.match(running.stderr(), /error: starting the sandbox container failed/);
  assert.match(running.stderr(), /guardcli cleanup/);
});
