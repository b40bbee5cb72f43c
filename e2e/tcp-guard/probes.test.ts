/** The probes of a configuration must detect each weaker daemon. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runTcpProbes } from '../../cli/probes/tcp/run.ts';
import type { Context } from '../../cli/program/context.ts';
import { readMountedFiles } from '../../cli/sandbox/plan/mounted-files.ts';
import { launch } from '../../cli/sandbox/session/lifecycle.ts';
import { planTcpGuard, type TcpPlan, tcpGuard } from '../../cli/sandbox/targets/tcp-guard.ts';
import { newSession } from '../../containers/labels.ts';
import { loadDaemon } from '../../contract/load/daemon.ts';
import { packageRoot } from '../../platform/assets.ts';
import { skip } from '../support/guardcli.ts';
import { freeRow } from '../support/port-row.ts';
import { sandboxImage } from '../support/sandbox-image.ts';

const text = `
global: {ban_after_failures: 3, geoip_db: absent.mmdb}
services:
  redis:
    listen: ":6379"
    upstream: h:6379
    protocol: redis
    rate_limit: {connections_per_minute: 60, burst: 8}
    ip_filter: {deny: [203.0.113.0/24]}
  web: {listen: ":80", upstream: h:80, max_connections_per_ip: 4, response: {mode: tarpit}}
  site: {listen: ":81", upstream: h:80, protocol: http, http: {policy: guard.json}}
  secure: {listen: ":443", upstream: h:443, protocol: tls, tls: {deny_sni: [bad.example], min_version: "1.2"}}
  german: {listen: ":82", upstream: h:80, geo_block: {allow_countries: [DE]}}
port_scan: {listen: [":23"], threshold: 3}
intake: [{file: /var/log/caddy.jsonl, after: 2}]
threatfeed: {enabled: true, api_key: k}
api: {allowed_hosts: [guard.example]}
`;

type Change = readonly [from: RegExp, to: string];

/** Changes that weaken the daemon's file, and the probes that must then fail. */
const changes: readonly (readonly [what: string, made: readonly Change[], failing: readonly string[]])[] = [
  ['nothing', [], []],
  ['bans', [[/ban_after_failures: 3/, 'ban_after_failures: 30']], ['login:guessing:redis', 'login:guessing:site']],
  [
    'filters, connections and hosts',
    [
      [/203\.0\.113\.0\/24/, '203.0.114.0/24'],
      [/max_connections_per_ip: 4/, 'max_connections_per_ip: 40'],
      [/- guard\.example/, '- evil.example'],
    ],
    ['gate:ip-filter:redis', 'gate:connections:web', 'api:host'],
  ],
  [
    'rates, tarpits, what clients say and where they come from',
    [
      [/burst: 8/, 'burst: 80'],
      [/mode: tarpit/, 'mode: drop'],
      [/- DE/, '- FR'],
      [/- bad\.example/, '- good.example'],
      [/min_version: '1\.2'/, 'min_version: "1.1"'],
      [/\n +policy: policy-0\.json/, ''],
    ],
    [
      ...['relay:hello:german', 'gate:sni:secure', 'gate:tls-version:secure', 'gate:policy:site'],
      ...['gate:rate:redis', 'gate:connections:web'],
    ],
  ],
  [
    'probes, events and decisions',
    [
      [/threshold: 3/, 'threshold: 30'],
      [/after: 2$/m, 'after: 20'],
      [/fallback_action: ban/, 'fallback_action: bypass'],
    ],
    ['ban:port-scan::23', 'ban:intake:/var/log/caddy.jsonl', 'ban:decision'],
  ],
];

/** Longer than probes that pass take, even on a busy machine. */
const patienceMs = 30_000;

function tampered(plan: TcpPlan, made: readonly Change[]): TcpPlan {
  const changed = (text: string): string =>
    made.reduce((content, [from, to]) => {
      assert.match(content, from);
      return content.replace(from, to);
    }, text);
  const files = plan.sandbox.files.map((file) =>
    file.name === 'tcp-guard.yaml' ? { ...file, text: changed(file.text) } : file,
  );
  return { ...plan, sandbox: { ...plan.sandbox, files } };
}

describe('probes notice a daemon that is wrong about', { skip, concurrency: true }, () => {
  for (const [what, made, failing] of changes)
    it(what, async (t) => {
      const loaded = loadDaemon(Buffer.from(text), 'tcp-guard.yaml', {});
      assert.ok(loaded.ok);
      const { signal } = new AbortController();
      const { containers, image } = await sandboxImage(tcpGuard);
      const token = 'a-token-of-this-test';
      const mounted = await readMountedFiles(loaded.value, '-', {}, {
        cwd: join(packageRoot, 'examples'),
        signal,
      } as Context);
      const base = {
        mounted,
        daemon: loaded.value,
        image,
        session: newSession(),
        ipv6: false,
        isolated: false,
        token,
        passed: {},
      };
      const port = await freeRow();
      const plan = planTcpGuard({ ...base, port, isTest: true, detach: false });
      const sandbox = await launch(tampered(plan, made), containers, () => {}, signal);
      t.after(sandbox.stop);
      const run = { plan, port, token, signal, now: Date.now, onProgress: () => {}, patienceMs };
      const { results } = await runTcpProbes({ ...run, peer: sandbox.peer });
      assert.deepEqual(
        results.filter(({ ok }) => !ok).map(({ id }) => id),
        failing,
      );
    });
});
