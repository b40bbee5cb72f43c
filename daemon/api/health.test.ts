/** Health and metrics. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Health } from '../../contract/api/state.ts';
import { feed } from './testing/feed.ts';
import { start } from './testing/running-api.ts';

test('/health returns 200 when a component fails, and 503 only when nothing is served', async (t) => {
  let [isServing, problems] = [true, [] as string[]];
  const { url } = await start(t, { control: { feed, isServing: () => isServing, problems: () => problems } });
  const health = async () => {
    const response = await fetch(`${url}/health`);
    return { code: response.status, ...((await response.json()) as { status?: string; uptime_seconds?: number }) };
  };
  const { uptime_seconds, ...well } = await health();
  const crowdsec = {
    status: 'healthy',
    decisions: 1,
    update_frequency: '10s',
    last_success: '2026-01-01T00:00:00.000Z',
    last_error: null,
  };
  const data_plane = { name: 'net', reason: 'configured' };
  const bans = { enforced: 0, store: 'ok' };
  assert.deepEqual(well, { code: 200, status: 'ok', version: '0.1.0', data_plane, bans, crowdsec });
  assert.ok(Number(uptime_seconds) >= 0);
  problems = ['the disk is full'];
  const { code, status, reasons } = (await health()) as Record<string, unknown>;
  assert.deepEqual([code, status, reasons], [200, 'degraded', problems]);
  isServing = false;
  assert.deepEqual([(await health()).code, ((await health()) as { status?: string }).status], [503, 'unavailable']);
});

test('/health and the metrics count the probes without an address, unless there is no trap', async (t) => {
  const shown = async (count: number | undefined) => {
    const { url } = await start(t, { control: { unattributedProbes: () => count } });
    const health = (await (await fetch(`${url}/health`)).json()) as Health;
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return [health.port_scan, /\ntcp_guard_port_scan_unattributed_total .*/.exec(metrics)?.[0]];
  };
  assert.deepEqual(await shown(7), [{ unattributed: 7 }, '\ntcp_guard_port_scan_unattributed_total 7']);
  assert.deepEqual(await shown(undefined), [undefined, undefined]);
});

test('metrics are Prometheus text with escaped labels', async (t) => {
  const stats = { 's"\\\n': { active_connections: 1, total_allowed: 2, total_blocked: 3, bytes_in: 4, bytes_out: 5 } };
  const { url } = await start(t, { control: { feed, push: { dropped: () => 3 }, stats: () => stats } });
  const response = await fetch(`${url}/metrics`);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  const form =
    /^(# (HELP|TYPE) tcp_guard_\w+ .+|tcp_guard_\w+(\{\w+="([^"\\\n]|\\["\\n])*"(,\w+="([^"\\\n]|\\["\\n])*")*\})? \d+)$/;
  for (const line of text.trimEnd().split('\n')) assert.match(line, form);
  assert.match(text, /tcp_guard_bytes_total\{service="s\\"\\\\\\n",direction="out"\} 5\n/);
  assert.match(text, /# TYPE tcp_guard_connections_blocked_total counter\n/);
  assert.match(text, /\ntcp_guard_push_dropped_total 3\n/);
});
