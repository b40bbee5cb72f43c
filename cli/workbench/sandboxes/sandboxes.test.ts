import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { RequestEvent } from '../../../contract/events/members.ts';
import { CleanupError, UsageError } from '../../../platform/errors.ts';
import { createReport, type ProbeResult } from '../../probes/report.ts';
import type { Context } from '../../program/context.ts';
import type { SandboxResult } from '../../sandbox/session/result.ts';
import type { Update } from '../../sandbox/session/session.ts';
import { advanceState, initialSession, type SessionEvent } from '../../sandbox/session/state.ts';
import { testWorld } from '../testing/world.ts';
import { type Open, Sandboxes } from './run.ts';

const blocked: RequestEvent = {
  ...{ type: 'guard_block', timestamp: '2026-01-02T03:04:05.678Z', gateway: 'caddy', mode: 'enforce' },
  ...{ client_ip: '172.17.0.1', method: 'GET', host: 'x', path: '/.env', request_uri: '/.env', target: 'path' },
  ...{ candidate: '/.env', rule_id: 'env-file', pattern: 'x', reason: 'block_pattern_match', action: 'text' },
  ...{ status: 403, user_agent: 'curl', reference: '7K3QF2M9TD' },
};

const serving: readonly SessionEvent[] = [
  { kind: 'stage', stage: { name: 'start', state: 'done', milliseconds: 5, detail: '' } },
  { kind: 'ready', target: 'traefik', url: 'http://localhost:8080', notes: ['a note'] },
  { kind: 'following', url: 'http://localhost:8080' },
];

const failed: ProbeResult = {
  ...{ id: 'match:env-file', source: 'match', description: 'is blocked', ok: false, request: 'GET /.env' },
  ...{
    expected: '403',
    got: '200',
    problems: ['status 200'],
    sent: 'GET /.env HTTP/1.1\\r\\n',
    repeat: 'curl http://x/.env',
  },
};

/** Opens a workbench whose sandbox emits `events`, and then ends as `finish` does. */
function opened(finish: (signal: AbortSignal) => Promise<SandboxResult>, events: readonly SessionEvent[] = serving) {
  const made = testWorld();
  let state = initialSession;
  const open: Open = async (_name, _use, _state, { signal }) => {
    const listeners: ((update: Update) => void)[] = [];
    const emit = (event: SessionEvent): void => {
      state = advanceState(state, event);
      for (const listener of listeners) listener({ event, state });
    };
    return {
      subscribe: (listener) => {
        listeners.push(listener);
        return () => {};
      },
      log: () => ['a line of the proxy \x1b[2J'],
      run: async () => {
        for (const event of events) emit(event);
        return finish(signal);
      },
    };
  };
  const context = { now: () => 1_000_000, env: {}, cwd: '/' } as unknown as Context;
  const sandboxes = new Sandboxes(made.world.store, context, open);
  const world = testWorldWith(made, sandboxes);
  return { ...made, ...world, sandboxes };
}

/** Returns a test world in which keys act on these sandboxes. */
function testWorldWith(made: ReturnType<typeof testWorld>, sandboxes: Sandboxes) {
  Object.assign(made.world, { sandboxes });
  made.dispatch({ kind: 'screen', name: 'sandboxes' });
  return made;
}

const untilStopped = async (signal: AbortSignal): Promise<SandboxResult> => {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
};
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('starts, follows and stops the selected sandbox', async () => {
  const made = opened(untilStopped, [...serving, { kind: 'security', event: blocked }]);
  assert.match(made.draw(), /Traefik +:8080 +not started/);
  made.keys('s');
  await settle();
  const text = made.draw();
  assert.match(text, /Traefik +:8080 +serving, 1 event 0 s/);
  assert.match(text, /Traefik on http:\/\/localhost:8080: events/);
  assert.match(text, /BLOCKED env-file {2}403 GET \/\.env {2}from 172/);
  assert.match(text, /\n\$ guardcli sandbox traefik guard\.json --port 8080\n/);
  made.keys('p');
  assert.match(made.draw(), /✔ starting the sandbox[\s\S]*a note/);
  made.keys('x');
  await made.sandboxes.close();
  assert.match(made.draw(), /Traefik +:8080 +stopped/);
});

test('events of a sandbox count as hits and as recent requests', async () => {
  const made = opened(untilStopped, [...serving, { kind: 'security', event: blocked }]);
  made.keys('s');
  await settle();
  const { recent } = made.state();
  assert.equal(recent.hits.get('env-file'), 1);
  assert.equal(recent.requests[0]?.request.target, '/.env');
  made.keys('x');
  await made.sandboxes.close();
});

test('filters events by words', async () => {
  const other = { ...blocked, rule_id: 'trav-dotdot', request_uri: '/a/../b' };
  const made = opened(untilStopped, [
    ...serving,
    ...[blocked, other].map((event) => ({ kind: 'security', event }) as const),
  ]);
  made.keys('s');
  await settle();
  made.keys('/');
  made.type('TRAV get');
  const text = made.draw();
  assert.ok(text.includes('trav-dotdot') && !text.includes('env-file'), text);
  made.keys('enter', 'x');
  await made.sandboxes.close();
});

test('shows failed probes with their bytes and the line that repeats them', async () => {
  const report = createReport([failed, { ...failed, id: 'match:other' }], [], 10);
  const made = opened(async () => ({ action: 'tested', target: 'traefik', url: 'u', notes: [], report }));
  made.keys('t');
  await settle();
  assert.match(made.draw(), /Traefik +:8080 +2 failed, 0 passed/);
  assert.match(made.draw(), /1\/2 match:env-file {2}is blocked[\s\S]*sent +GET[\s\S]*again +curl http:\/\/x\/\.env/);
  assert.match(made.draw(), /--port 8080 --test\n/);
  made.keys('n', 'n', 'n');
  assert.match(made.draw(), /2\/2 match:other/);
  made.keys('c');
  assert.deepEqual(made.copied, ['curl http://x/.env']);
});

test('shows the log of the proxy, escaped', async () => {
  const made = opened(async () => ({ action: 'stopped', target: 'traefik', url: 'u', notes: [], events: 0 }));
  made.keys('s');
  await settle();
  made.keys('l');
  assert.match(made.draw(), /a line of the proxy \\x1b\[2J/);
});

test('shows why a sandbox failed, and keeps the other screens', async () => {
  const made = opened(async () => {
    throw new UsageError('no runtime\u001b[2J', { code: 'x', hint: 'start it' });
  }, []);
  made.keys('s');
  await settle();
  assert.match(made.draw(), /Traefik +:8080 +failed[\s\S]*no runtime\\x1b\[2J\. Start it\./);
  made.keys('1');
  assert.match(made.draw(), /Candidates/);
});

test('a target runs once at a time', async () => {
  const made = opened(untilStopped);
  made.keys('s', 't');
  await settle();
  assert.equal(made.state().sandboxes.rows[0]?.use, 'follow');
  await made.sandboxes.close();
});

test('reports a sandbox that could not be removed when the workbench ends', async () => {
  const made = opened(async (signal) => {
    await once(signal, 'abort');
    throw new CleanupError('the sandbox could not be removed', { code: 'sandbox_left', failed: { tool: 'x' } });
  });
  made.keys('s');
  await settle();
  await assert.rejects(made.sandboxes.close(), /could not be removed/);
});

test('one line of progress for each stage, with a spinner and the elapsed time', async () => {
  const made = opened(untilStopped, [
    { kind: 'stage', stage: { name: 'image', state: 'running', milliseconds: 0, detail: '' } },
    { kind: 'build', line: 'Step 1/6 : FROM \x1b[31m' },
  ]);
  made.keys('s');
  await settle();
  made.dispatch({ kind: 'sandbox.log', name: 'traefik', log: [], now: 1_007_500 });
  const text = made.draw();
  assert.match(text, /[⠋⠙⠹⠸⠼⠴⠦⠧] Traefik +:8080 +image 7 s/);
  assert.match(text, /• preparing the image\n {2}Step 1\/6 : FROM \\x1b\[31m/);
  await made.sandboxes.close();
});

const second: RequestEvent = { ...blocked, rule_id: 'trav-dotdot', method: 'POST', request_uri: '/a/../b?c=d\u001b' };

test('opens the selected event in Try', async () => {
  const events = [blocked, second, blocked].map((event) => ({ kind: 'security', event }) as const);
  const made = opened(untilStopped, [...serving, ...events]);
  made.keys('s');
  await settle();
  made.keys('e', 'up', 'enter');
  const { screen, try: state } = made.state();
  const texts = [state.fields.method.text, state.fields.path.text, state.fields.address.text];
  assert.deepEqual([screen, ...texts], ['try', 'POST', '/a/../b?c=d', '172.17.0.1']);
  assert.equal(state.fields.headers.text, 'Host: x');
  made.dispatch({ kind: 'screen', name: 'sandboxes' });
  made.keys('escape', 'down');
  assert.equal(made.state().sandboxes.selected, 1);
  await made.sandboxes.close();
});

test('opens the event that the filter shows, and says when there is none', async () => {
  const made = opened(untilStopped, [
    ...serving,
    ...[blocked, second].map((event) => ({ kind: 'security', event }) as const),
  ]);
  made.keys('e', 'enter');
  assert.match(made.draw(), /there is no event yet/);
  made.keys('s');
  await settle();
  made.keys('/');
  made.type('env-file');
  made.keys('enter', 'enter');
  assert.equal(made.state().try.fields.path.text, '/.env');
  await made.sandboxes.close();
});

test('keeps the selected event while others arrive', async () => {
  const made = opened(untilStopped, [...serving, { kind: 'security', event: second }]);
  made.keys('s');
  await settle();
  made.keys('e', 'up');
  const row = made.state().sandboxes.rows[0]?.session ?? assert.fail();
  made.dispatch({
    kind: 'sandbox.update',
    name: 'traefik',
    session: advanceState(row, { kind: 'security', event: blocked }),
  });
  made.keys('enter');
  assert.equal(made.state().try.fields.method.text, 'POST');
  await made.sandboxes.close();
});

test('starts the sandbox on the chosen port, and refuses what is not a port', async () => {
  const made = opened(untilStopped);
  const choose = (text: string) => {
    made.keys('P');
    made.type(text);
    made.keys('enter');
  };
  choose('9443');
  assert.match(made.draw(), /Traefik +:9443 +not started[\s\S]*--port 9443\n/);
  for (const bad of ['0', '65536', '80x']) {
    choose(bad);
    assert.match(made.draw(), new RegExp(`\n${bad} is not a port: pass a number from 1 to 65535\n`));
  }
  made.keys('s');
  await settle();
  choose('9444');
  assert.match(made.draw(), /a running sandbox keeps its port; x stops it/);
  assert.equal(made.state().sandboxes.rows[0]?.port, 9443);
  await made.sandboxes.close();
});

test('a wide terminal lists the probes as they run, beside the progress', async () => {
  const latest = [
    { id: 'match:env-file', ok: true, request: 'GET /.env' },
    { id: 'match:vcs', ok: false, request: 'GET /.git/config' },
  ];
  const made = opened(untilStopped, [
    ...serving.slice(0, 2),
    { kind: 'probes', progress: { done: 2, total: 10, failed: 1, latest } },
  ]);
  made.keys('t');
  await settle();
  const text = made.draw(140, 39);
  assert.match(text, /✔ match:env-file +GET \/\.env/);
  assert.match(text, /Traefik: probes ─/);
  assert.match(text, /✖ match:vcs +GET \/\.git\/config/);
  assert.doesNotMatch(made.draw(80, 23), /match:vcs/);
  await made.sandboxes.close();
});
