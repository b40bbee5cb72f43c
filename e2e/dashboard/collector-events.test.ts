/** Dashboards and report count lines equally in all forms that gateways, tcp-guard and log shippers write. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { skip } from '../../artefacts/testing/collector.ts';
import type { ReportResult } from '../../cli/report/result.ts';
import { linesText } from '../../cli/report/testing/examples.ts';
import { type Captured, runCaptured } from '../../cli/testing/captured.ts';
import type { WatchDocument } from '../../cli/watch/document.ts';
import type { WhyResult } from '../../cli/why/result.ts';
import { blockEvent, type EventLine, eventLines } from '../../conformance/events/lines.ts';
import { allLines, timeout, waitForLines } from './collector-lines.ts';
import { startStack } from './loki-query.ts';

function expected(lines: readonly EventLine[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome, count } of lines) counts[outcome] = (counts[outcome] ?? 0) + count;
  return counts;
}

const titles = {
  ...{ blocked: 'Blocked', detected: 'Detected', auth_failure: 'Failed logins', banned: 'Bans' },
  unparsed: 'Unparsed lines',
} as const;

/** Asserts that `why` finds the event of a reference, and counts all requests. */
async function findsReference(lines: readonly EventLine[], setting: Parameters<typeof runCaptured>[1]): Promise<void> {
  const { stdout, stderr, status } = await runCaptured(['why', blockEvent('').reference, '--json'], setting);
  assert.deepEqual({ stderr, status }, { stderr: '', status: 0 });
  const { source, event, counts } = JSON.parse(stdout) as WhyResult;
  const requests = lines
    .filter(({ line }) => /"rule_id"\s*:/.test(line))
    .filter(({ outcome }) => outcome !== 'unparsed');
  assert.match(source, /^Loki at http:/);
  assert.equal(event.request_uri, '/.env');
  assert.deepEqual([counts.sameRule.requests, counts.sameAddress.requests], [requests.length, requests.length]);
  assert.equal((await runCaptured(['why', '0000000000'], setting)).status, 1);
}

describe('lines in unusual forms', { skip, timeout }, () => {
  it('are counted alike by watch, query and report', async (t) => {
    const { loki, collector, query } = await startStack(t);
    const at = new Date(Date.now() - 60_000);
    const lines = eventLines(at);
    const text = linesText(lines.map(({ line }) => line));
    writeFileSync(join(collector.logs, 'events.jsonl'), text);
    const stored = await waitForLines(query, allLines, lines.length);
    for (const { name, line, outcome, gateway, count } of lines) {
      const { fields } = stored.find((one) => one.line.trim() === line.trim()) ?? assert.fail(name);
      assert.deepEqual([fields.action, fields.gateway, fields.count], [outcome, gateway, String(count)], name);
    }
    for (const { at: stamp, fields } of stored.filter((one) => one.fields.action !== 'unparsed'))
      assert.ok(Math.abs(stamp - at.getTime()) < 1000, JSON.stringify(fields));

    const counts = expected(lines);
    const setting = { env: loki.settings, clock: Date.now };
    const run = (...argv: readonly string[]): Promise<Captured> =>
      runCaptured(['dashboard', ...argv, '--json', '--since=1h'], setting);
    const { panels } = JSON.parse((await run('watch')).stdout) as WatchDocument;
    for (const [outcome, title] of Object.entries(titles))
      assert.equal(panels.find((one) => one.title === title)?.values?.[0]?.value, counts[outcome], title);
    const logql = 'sum by (action) (sum_over_time({app="request-guard"} | unwrap count [$__range]))';
    const { values } = JSON.parse((await run('query', logql)).stdout) as {
      readonly values: readonly { readonly labels: { readonly action: string }; readonly value: number }[];
    };
    assert.deepEqual(Object.fromEntries(values.map(({ labels, value }) => [labels.action, value])), counts);
    const { unparsed: _, ...events } = counts;
    for (const sources of [[], [join(collector.logs, 'events.jsonl')]]) {
      const { totals } = JSON.parse((await run('report', ...sources)).stdout) as ReportResult;
      assert.deepEqual(Object.fromEntries(Object.entries(totals).filter(([, count]) => count > 0)), events);
    }
    await findsReference(lines, setting);
  });
});
