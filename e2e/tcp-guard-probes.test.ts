/** The probes of tcp-guard against a daemon that does less than its file says: each must notice what is its own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTcpSuite } from '../cli/probes/tcp/run.ts';
import { connect, diskFiles } from '../cli/sandbox/connect.ts';
import { open } from '../cli/sandbox/docker.ts';
import { ensureImage, recipe } from '../cli/sandbox/image.ts';
import { launch } from '../cli/sandbox/lifecycle.ts';
import { newSession } from '../cli/sandbox/prepare.ts';
import { planTcpGuard, type TcpPlan, tcpGuard } from '../cli/sandbox/targets/tcp-guard.ts';
import { loadDaemon } from '../contract/load/daemon.ts';
import { freeRow } from './port-row.ts';
import { skip } from './support.ts';

const text = `
global: {ban_after_failures: 3}
services:
  redis:
    listen: ":6379"
    upstream: h:6379
    protocol: redis
    rate_limit: {connections_per_minute: 60, burst: 8}
    ip_filter: {deny: [203.0.113.0/24]}
  web: {listen: ":80", upstream: h:80, max_connections_per_ip: 4, response: {mode: tarpit}}
api: {allowed_hosts: [guard.example]}
`;

/** What is changed in the file behind the back of the probes, and the probes that must fail by it. */
const changes: readonly (readonly [what: string, from: RegExp, to: string, failing: readonly string[]])[] = [
  ['nothing', /^/, '', []],
  ['filters', /203\.0\.113\.0\/24/, '203.0.114.0/24', ['gate:ip-filter:redis']],
  ['rates', /burst: 8/, 'burst: 80', ['gate:rate:redis']],
  ['connections', /max_connections_per_ip: 4/, 'max_connections_per_ip: 40', ['gate:connections:web']],
  ['tarpits', /mode: tarpit/, 'mode: drop', ['gate:connections:web']],
  ['bans', /ban_after_failures: 3/, 'ban_after_failures: 30', ['login:guessing:redis']],
  ['hosts', /- guard\.example/, '- evil.example', ['api:host']],
];

function tampered(plan: TcpPlan, from: RegExp, to: string): TcpPlan {
  const files = plan.sandbox.files.map(({ name, text: content }) => {
    if (name !== 'tcp-guard.yaml') return { name, text: content };
    assert.match(content, from);
    return { name, text: content.replace(from, to) };
  });
  return { ...plan, sandbox: { ...plan.sandbox, files } };
}

for (const [what, from, to, failing] of changes)
  test(`probes notice a daemon that is wrong about ${what}`, { skip }, async (t) => {
    const loaded = loadDaemon(Buffer.from(text), 'tcp-guard.yaml', {});
    assert.ok(loaded.ok);
    const containers = await connect(process.env, diskFiles, open);
    const { signal } = new AbortController();
    const made = await recipe(tcpGuard, { signal, onLine: () => {} });
    await ensureImage(made, containers, { signal, onLine: () => {} });
    const token = 'a-token-of-this-test';
    const carried = { policies: new Map() };
    const base = {
      carried,
      daemon: loaded.value,
      image: made.tag,
      session: newSession(),
      ipv6: false,
      isolated: false,
      token,
    };
    const port = await freeRow();
    const plan = planTcpGuard({ ...base, port, isTest: true, detach: false });
    const sandbox = await launch(tampered(plan, from, to), containers, () => {}, signal);
    t.after(sandbox.stop);
    const run = { plan, port, token, signal, now: Date.now, onProgress: () => {} };
    const { results } = await runTcpSuite(run);
    assert.deepEqual(
      results.filter(({ ok }) => !ok).map(({ id }) => id),
      failing,
    );
  });
