/** Runs every query of the dashboards and alert rules on a real Loki, with lines of real programs. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { skip } from '../../artefacts/testing/collector.ts';
import { type Loki, openLoki } from '../../cli/stack/loki/client.ts';
import type { QueryResult } from '../../cli/stack/loki/result.ts';
import { findBoards } from '../../cli/watch/boards/find.ts';
import type { PanelQuery } from '../../cli/watch/boards/model.ts';
import { type Scope, substitute } from '../../cli/watch/boards/substitute.ts';
import { alerts } from '../../contract/generate/boards/alerts.ts';
import { until } from '../../platform/testing/until.ts';
import { auditLines, gatewayLines, lineOf } from '../crowdsec/lines.ts';
import { startStack } from './loki-query.ts';
import { expectedByPanel, type Fact, factOf, type Key, type PanelExpectation } from './numbers.ts';

const boards = findBoards('/nonexistent');

/** A client with events of a gateway and of tcp-guard. */
const both = '2001:db8::99';
const [rangeMs, stepMs] = [3_600_000, 60_000];

/** Alerts that must fire. The others have thresholds that a test does not reach within seconds. */
const fires = new Set(['New rule', 'Policy in mode detect', 'Dead threat feed']);

/** Sends a query as `dashboard watch` does. `chosen` are the values of variables. */
async function ask(loki: Loki, query: PanelQuery, scope: Pick<Scope, 'variables' | 'chosen'>): Promise<QueryResult> {
  const { expr, isInstant } = query;
  const logql = substitute(expr, { ...scope, rangeMs, stepMs, isInstant });
  const end = Math.ceil(Date.now() / stepMs + 1) * stepMs;
  return isInstant ? loki.query(logql, end) : loki.queryRange(logql, { start: end - rangeMs, end, stepMs });
}

const nameOf = (fields: Readonly<Record<string, string | undefined>>, keys: readonly Key[]): string =>
  keys.map((key) => fields[key] ?? '').join(' | ');

/** Sums each series by the values of its labels. */
function numbersOf(result: QueryResult, keys: readonly Key[]): Record<string, number> {
  assert.equal(result.kind, 'series');
  const sums = result.series.map(({ labels, samples }) => {
    const sum = samples.reduce((before, { value }) => before + value, 0);
    return [nameOf(labels, keys), sum] as const;
  });
  return Object.fromEntries(sums.filter(([, sum]) => sum !== 0));
}

function expected(facts: readonly Fact[], { keys, only }: PanelExpectation): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const fact of facts.filter(only)) {
    const name = nameOf(fact.fields, keys);
    numbers[name] = (numbers[name] ?? 0) + fact.count;
  }
  return numbers;
}

/** Returns lines that Caddy, Traefik and tcp-guard wrote, some with other client addresses. */
async function writtenLines(t: TestContext): Promise<string[]> {
  const [caddy, detected, traefik] = [
    await gatewayLines(t, 'caddy'),
    await gatewayLines(t, 'caddy', 'detect'),
    await gatewayLines(t, 'traefik'),
  ];
  const audit = await auditLines(t);
  const now = Date.now();
  const changed = [
    lineOf(audit.ban, '198.51.100.7', now, { country_code: 'DE', count: 990 }),
    lineOf(audit.ban, '198.51.100.8', now, { country_code: 'NL' }),
    lineOf(audit.port_scan, both, now, { country_code: 'DE' }),
    lineOf(audit.imap, both, now),
    lineOf(audit.banned, both, now),
    lineOf(audit.banned, both, now, { action: 'unbanned' }),
    lineOf(audit.ban, both, now, { action: 'allowed', reason: 'closed' }),
    {
      type: 'guard_block_summary',
      timestamp: new Date(now).toISOString(),
      gateway: 'traefik',
      count: 2871,
      clients: [{ client: '192.0.2.1', count: 2871 }],
      others: 0,
    },
    { type: 'fault', timestamp: new Date(now).toISOString(), message: 'threat feed: stale: x' },
  ].map((line) => JSON.stringify(line));
  return [...caddy, ...detected, ...traefik, ...Object.values(audit), ...changed, 'a line of another program'];
}

/** Sends all lines to Loki. `at` is later than every line, because the collector sets the time of some. */
async function fill(t: TestContext): Promise<{ loki: Loki; facts: readonly Fact[]; at: number }> {
  const { loki, collector, query } = await startStack(t);
  const lines = await writtenLines(t);
  writeFileSync(join(collector.logs, 'events.jsonl'), `${lines.join('\n')}\n`);
  const all = '{app="request-guard"}';
  await until(async () => (await query.count(all)) >= lines.length, 'all lines to be in Loki');
  assert.equal(await query.count(all), lines.length);
  return { loki: openLoki(loki.address, t.signal), facts: lines.map(factOf), at: Date.now() };
}

test('queries of the dashboards', { skip, timeout: 600_000 }, async (t) => {
  const { loki, facts, at } = await fill(t);
  for (const { uid, panels, variables } of boards)
    for (const { title, queries } of panels)
      await t.test(`${uid}: ${title}`, async () => {
        const wanted =
          expectedByPanel[uid]?.[title] ?? assert.fail(`e2e/dashboard/numbers.ts has no row for ${uid}: ${title}`);
        const isOne = uid === 'guard-address';
        const seen = facts.filter(({ fields }) => !isOne || fields.client_ip === both);
        const numbers = expected(seen, wanted);
        assert.ok(Object.keys(numbers).length > 0, 'there are no lines for this panel');
        const [query] = queries;
        assert.ok(query);
        const result = await ask(loki, query, { variables, chosen: isOne ? { address: both } : {} });
        if (result.kind === 'series') assert.deepEqual(numbersOf(result, wanted.keys), numbers);
        else assert.equal(result.lines.length, seen.filter(wanted.only).length);
      });
  for (const { title, expr, above } of alerts)
    await t.test(`alert rule: ${title}`, async () => {
      const result = await loki.query(expr, at);
      assert.ok(result.kind === 'series');
      const highest = Math.max(...result.series.map(({ samples }) => samples[0]?.value ?? 0));
      assert.equal(highest > above, fires.has(title), `${title}: ${highest}`);
    });
});
