import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { eventExamples } from '../../../contract/events/examples.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { CleanupError, ExternalError } from '../../../platform/errors.ts';
import { createReport } from '../../probes/report.ts';
import type { Context } from '../../program/context.ts';
import { targets } from '../../targets/table.ts';
import { createFakeRuntime, type FakeContainer, type FakeRuntime } from '../../testing/fake-containers.ts';
import type { Recipe } from '../image/image.ts';
import { planSandbox } from '../plan/plan.ts';
import { caddy } from '../targets/caddy.ts';
import { type Effects, Session, type Update } from './session.ts';
import type { Work } from './work.ts';

const target = targets.find(({ name }) => name === 'caddy') as Work['target'];

function workOf(changes: Partial<Work> = {}): Work {
  return {
    ...{ target, image: caddy, action: 'test', port: 8080 },
    ports: () => [8080],
    plan: ({ tag: image }, ipv6, action) =>
      planSandbox({
        ...{ target: caddy, image, session: 's1', ipv6, isolated: false, detach: action === 'detach' },
        ...{ stubs: false, passed: {} },
        sites: [{ policy: Policy.parse({}), hostPort: 8080 }],
      }),
    onLine: () => {},
    createProbes: () => undefined,
    notes: ({ plan }) => plan.notes,
    test: async () => createReport([], [], 1),
    ...changes,
  };
}

/** Runs a session in the fake container runtime. `interrupt` ends it like Ctrl-C. */
function open(work: Partial<Work>, runtime: FakeRuntime) {
  const controller = new AbortController();
  let dismissed = 0;
  const effects: Effects = {
    acquire: async () => ({ containers: runtime.containers, recipe: { tag: 'image:1' } as Recipe, ipv6: true }),
    postReaper: () => ({
      dismiss: () => {
        dismissed += 1;
      },
    }),
  };
  const context = { signal: controller.signal, now: Date.now, env: {} } as unknown as Context;
  const session = new Session(workOf(work), context, effects);
  const updates: Update[] = [];
  session.subscribe((update) => updates.push(update));
  return { session, updates, interrupt: () => controller.abort(), dismissed: () => dismissed };
}

const reported = (updates: readonly Update[]): string[] =>
  updates.map(({ event }) => (event.kind === 'stage' ? `${event.stage.name} ${event.stage.state}` : event.kind));

test('sends the probe set between start and removal', async () => {
  const runtime = createFakeRuntime();
  const { session, updates, dismissed } = open({}, runtime);
  assert.equal((await session.run()).action, 'tested');
  assert.deepEqual(reported(updates), [
    ...['start running', 'start done', 'ready', 'probes running', 'probes done'],
    ...['remove running', 'remove done', 'stopped'],
  ]);
  assert.deepEqual([runtime.present.size, dismissed()], [0, 1]);
});

test('follows and counts events until an interruption', async () => {
  const runtime = createFakeRuntime();
  const { session, updates, interrupt } = open({ action: 'follow' }, runtime);
  session.subscribe(({ event, state }) => {
    if (event.kind === 'following') {
      runtime.started[0]?.say(eventExamples.blocked);
      runtime.started[0]?.say({ ...eventExamples.summary, count: 2 });
    }
    if (state.eventCount === 3 && state.phase === 'use') interrupt();
  });
  const result = await session.run();
  assert.deepEqual([result.action, result.action === 'stopped' && result.events], ['stopped', 3]);
  assert.deepEqual(reported(updates).slice(2), [
    ...['ready', 'following', 'security', 'suppressed'],
    ...['remove running', 'remove done', 'interrupted', 'stopped'],
  ]);
});

test('leaves a detached sandbox running', async () => {
  const runtime = createFakeRuntime();
  const { session, updates } = open({ action: 'detach' }, runtime);
  assert.equal((await session.run()).action, 'detached');
  assert.equal(updates.at(-1)?.state.phase, 'stopped');
  assert.equal(runtime.present.size, 1);
});

test('reports a failed probe set after the removal', async () => {
  const runtime = createFakeRuntime();
  const test = () => Promise.reject(new ExternalError('no answer', { code: 'x', failed: { tool: 'sandbox' } }));
  const { session, updates, dismissed } = open({ test }, runtime);
  await assert.rejects(session.run(), { message: 'no answer' });
  assert.deepEqual(reported(updates).slice(3), [
    ...['probes running', 'probes failed', 'remove running', 'remove done', 'failed'],
  ]);
  assert.deepEqual([runtime.present.size, dismissed()], [0, 1]);
});

test('shows a failed start', async () => {
  const { session, updates } = open({}, createFakeRuntime({ onStart: ({ end }: FakeContainer) => end(1) }));
  await assert.rejects(session.run(), /the sandbox ended: its container ended with status 1/);
  assert.deepEqual(reported(updates), ['start running', 'start failed', 'failed']);
});

test('reports a failed removal after an interruption and keeps the reaper', async () => {
  for (const action of ['follow', 'test'] as const) {
    const { session, updates, interrupt, dismissed } = open(
      {
        action,
        test: async (_running, _onProgress, { signal }) => {
          await once(signal, 'abort');
          throw signal.reason;
        },
      },
      createFakeRuntime({ cannotRemove: true }),
    );
    session.subscribe(({ event }) => {
      if (event.kind === 'ready') setImmediate(interrupt);
    });
    await assert.rejects(session.run(), (error: unknown) => {
      assert.ok(error instanceof CleanupError);
      assert.match(error.message, /^the sandbox could not be removed$/);
      assert.match(`${error.failed.output} ${error.hint}`, /removing failed guardcli cleanup --dry-run lists/);
      return true;
    });
    assert.equal(dismissed(), 0);
    assert.deepEqual(reported(updates).slice(-3), ['remove failed', 'interrupted', 'failed']);
  }
});

test('ignores reports of a probe set after its end', async () => {
  const { session, updates } = open(
    {
      test: async (_running, onProgress) => {
        setImmediate(() => onProgress({ done: 1, total: 2, failed: 0, latest: [] }));
        throw new Error('broken');
      },
    },
    createFakeRuntime(),
  );
  await assert.rejects(session.run(), /broken/);
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(!reported(updates).includes('probes'));
});
