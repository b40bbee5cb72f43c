import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerSpec } from '../../../containers/containers.ts';
import { sandboxLabels } from '../../../containers/labels.ts';
import { until } from '../../../platform/testing/until.ts';
import type { Context } from '../../program/context.ts';
import { createFakeRuntime } from '../../testing/fake-containers.ts';
import { testWorld } from '../testing/world.ts';
import { type Connect, DetachedSandboxes } from './detached.ts';

const context = { now: Date.now, env: {}, cwd: '/' } as unknown as Context;

const specOf = (target: string, session: string, hostPort: number, detach = true): ContainerSpec => ({
  ...{ name: `request-guard-${target}-${session}`, image: 'x', labels: sandboxLabels(session, target, detach) },
  ports: hostPort === 0 ? [] : [{ hostAddress: '127.0.0.1', hostPort, containerPort: 8080 }],
  ...{ env: {}, networks: [], hostNames: [], stdin: false },
});

const blocked = {
  ...{ type: 'guard_block', timestamp: '2026-01-02T03:04:05.678Z', gateway: 'caddy', mode: 'enforce' },
  ...{ client_ip: '172.17.0.1', method: 'GET', host: 'x', path: '/.env', request_uri: '/.env', target: 'path' },
  ...{ candidate: '/.env', rule_id: 'env-file', pattern: 'x', reason: 'block_pattern_match', action: 'text' },
  ...{ status: 403, user_agent: 'curl', reference: '7K3QF2M9TD' },
};

function opened(connect: Connect) {
  const made = testWorld();
  const detached = new DetachedSandboxes(made.world.store, context, connect);
  Object.assign(made.world, { detached });
  made.dispatch({ kind: 'screen', name: 'sandboxes' });
  detached.open();
  return { ...made, detached };
}

test('lists detached sandboxes with their ports, follows their events and log, and removes them', async (t) => {
  const runtime = createFakeRuntime();
  for (const spec of [specOf('caddy', 's1', 8081), specOf('nginx', 's2', 0), specOf('gate', 's2', 9090)])
    await runtime.containers.run(spec, t.signal);
  await runtime.containers.run(specOf('traefik', 's3', 7070, false), t.signal);
  const { draw, keys, state, detached } = opened(async () => runtime.containers);
  t.after(() => detached.close());
  await until(() => /Caddy +:8081 +detached, 0 events +request-guard-caddy-s1/.test(draw()));
  assert.match(draw(), /nginx +:9090 +detached, 0 events/);
  assert.doesNotMatch(draw(), /7070/);
  runtime.started[0]?.say(blocked);
  runtime.started[0]?.say('a line of the proxy \x1b[2J');
  await until(() => draw().includes('detached, 1 event '));
  keys('j', 'j', 'j', 'j', 'e');
  assert.match(draw(), /Caddy on http:\/\/localhost:8081: events ─+\n[^\n]*\n[^\n]*BLOCKED env-file/);
  assert.match(draw(), /\n\$ docker logs --follow request-guard-caddy-s1\n/);
  assert.equal(state().recent.requests.at(-1)?.source, 'request-guard-caddy-s1');
  keys('l');
  await until(() => draw().includes('a line of the proxy \\x1b[2J'));
  keys('s');
  assert.match(draw(), /a detached sandbox serves already; x removes it/);
  keys('x');
  await until(() => !runtime.present.has('request-guard-caddy-s1') && !draw().includes('detached, 1 event'));
  assert.ok(runtime.present.has('request-guard-nginx-s2'));
});

test('says why detached sandboxes are not listed, and looks again', async (t) => {
  const runtime = createFakeRuntime();
  await runtime.containers.run(specOf('caddy', 's1', 8081), t.signal);
  let count = 0;
  const { draw, detached } = opened(async () => {
    count += 1;
    if (count === 1) throw new Error('no container runtime\x1b[2J responds');
    return runtime.containers;
  });
  t.after(() => detached.close());
  await until(() => draw().includes('detached sandboxes are not listed: no container runtime\\x1b[2J responds'));
  await until(() => draw().includes('detached, 0 events'));
  assert.doesNotMatch(draw(), /not listed/);
});
