/** Every query of the dashboards and alert rules, on a real Loki that the real collector filled from lines of real programs. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { alerts } from '../contract/generate/boards/alerts.ts';
import { packageRoot } from '../platform/assets.ts';
import { skip, startStack } from './collector-process.ts';
import { auditLines, gatewayLines, lineOf } from './crowdsec-lines.ts';
import { type Fact, factOf, type Key, rows, type Wanted } from './dashboard-numbers.ts';
import { eventually } from './support.ts';

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets: readonly [{ readonly expr: string; readonly queryType: 'instant' | 'range' }];
}

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
}

interface Series {
  readonly metric?: Readonly<Record<string, string>>;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number | string, string])[];
}

const folder = join(packageRoot, 'observability/grafana/dashboards');
const dashboards = globSync('*.json', { cwd: folder }).map(
  (name): Dashboard => JSON.parse(readFileSync(join(folder, name), 'utf8')),
);

/** A client that both layers saw. */
const both = '2001:db8::99';
const rangeSeconds = 3600;
const stepSeconds = 60;

/** The query as Grafana sends it, with variables that select everything, or one address. */
const sent = (expr: string, address: string): string =>
  expr
    .replaceAll('$__range', `${rangeSeconds}s`)
    .replaceAll('$__auto', `${stepSeconds}s`)
    .replaceAll('$address', address)
    .replaceAll(/\$\w+/g, '.*');

/** Of the lines below. The others have thresholds that no test reaches in seconds. */
const fires = new Set(['New rule', 'Policy in mode detect', 'Dead threat feed']);

async function ask(loki: string, expr: string, type: 'instant' | 'range'): Promise<Series[]> {
  const end = Math.ceil(Date.now() / 1000 / stepSeconds) * stepSeconds + stepSeconds;
  const times: Record<string, string> =
    type === 'instant'
      ? { time: `${end}` }
      : { start: `${end - rangeSeconds}`, end: `${end}`, step: `${stepSeconds}`, limit: '5000' };
  const path = type === 'instant' ? 'query' : 'query_range';
  const response = await fetch(`${loki}/loki/api/v1/${path}?${new URLSearchParams({ query: expr, ...times })}`);
  const text = await response.text();
  assert.equal(response.status, 200, `${expr}: ${text}`);
  return (JSON.parse(text) as { data: { result: Series[] } }).data.result;
}

const nameOf = (fields: Readonly<Record<string, string | undefined>>, keys: readonly Key[]): string =>
  keys.map((key) => fields[key] ?? '').join(' | ');

/** The sum of each series, by the values of its labels. */
function numbersOf(series: readonly Series[], keys: readonly Key[]): Record<string, number> {
  const sums = series.map(({ metric = {}, value, values = [] }) => {
    const samples = value ? [value] : values;
    return [nameOf(metric, keys), samples.reduce((sum, [, text]) => sum + Number(text), 0)];
  });
  return Object.fromEntries(sums.filter(([, sum]) => sum !== 0));
}

function expected(facts: readonly Fact[], { keys, only }: Wanted): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const fact of facts.filter(only)) {
    const name = nameOf(fact.fields, keys);
    numbers[name] = (numbers[name] ?? 0) + fact.count;
  }
  return numbers;
}

/** Lines of all kinds: most of them as Caddy, Traefik and tcp-guard wrote them, some changed to other addresses. */
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
    { type: 'guard_block_summary', timestamp: new Date(now).toISOString(), gateway: 'traefik', count: 2871 },
    { type: 'fault', timestamp: new Date(now).toISOString(), message: 'threat feed: stale: x' },
  ].map((line) => JSON.stringify(line));
  return [...caddy, ...detected, ...traefik, ...Object.values(audit), ...changed, 'a line of another program'];
}

/** Fills Loki, and returns its address and what it holds. */
async function fill(t: TestContext): Promise<{ loki: string; facts: readonly Fact[] }> {
  const { loki, collector, query } = await startStack(t);
  const lines = await writtenLines(t);
  writeFileSync(join(collector.logs, 'events.jsonl'), `${lines.join('\n')}\n`);
  const all = '{app="request-guard"}';
  await eventually('all lines to be in Loki', async () => (await query.count(all)) >= lines.length);
  assert.equal(await query.count(all), lines.length);
  return { loki: loki.address, facts: lines.map(factOf) };
}

test('queries of the dashboards', { skip, timeout: 300_000 }, async (t) => {
  const { loki, facts } = await fill(t);
  for (const { uid, panels } of dashboards)
    for (const { title, type, targets } of panels)
      await t.test(`${uid}: ${title}`, async () => {
        const wanted = rows[uid]?.[title] ?? assert.fail(`e2e/dashboard-numbers.ts has no row for ${uid}: ${title}`);
        const address = uid === 'guard-address' ? both : '.*';
        const seen = facts.filter(({ fields }) => address === '.*' || fields.client_ip === address);
        const numbers = expected(seen, wanted);
        assert.ok(Object.keys(numbers).length > 0, 'there are no lines for this panel');
        const [{ expr, queryType }] = targets;
        const series = await ask(loki, sent(expr, address), queryType);
        if (type !== 'logs') assert.deepEqual(numbersOf(series, wanted.keys), numbers);
        else assert.equal(series.flatMap(({ values = [] }) => values).length, seen.filter(wanted.only).length);
      });
  for (const { title, expr, above } of alerts)
    await t.test(`alert rule: ${title}`, async () => {
      const series = await ask(loki, expr, 'instant');
      const highest = Math.max(...series.map(({ value }) => Number(value?.[1])));
      assert.equal(highest > above, fires.has(title), `${title}: ${highest}`);
    });
});
