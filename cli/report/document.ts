import { edgeNotices } from '../../contract/values/edges.ts';
import { reportBounds } from '../counting/bounds.ts';
import type { Counter, Entry } from '../counting/counter.ts';
import type {
  AddressRow,
  ChartSeries,
  CountryRow,
  FileCount,
  PathRow,
  ReportResult,
  RuleRow,
  SourceRow,
  TopList,
} from './result.ts';
import type { AddressTally, PathTally, RuleTally, SourceTally, Tally } from './tally.ts';
import type { Series } from './timeline.ts';

const timeText = (at: number): string | null => (Number.isFinite(at) ? new Date(at).toISOString() : null);

/** Returns the first rows of a list. `entries`: the entries of `table` that belong in the list, sorted. */
function topList<V, R>(table: Counter<V>, entries: readonly Entry<V>[], row: (entry: Entry<V>) => R): TopList<R> {
  const { isExact: exact, missed: missedAtMost } = table;
  return { rows: entries.slice(0, reportBounds.rows).map(row), distinct: entries.length, exact, missedAtMost };
}

const sourceRow = ({ key, value }: Entry<SourceTally>): SourceRow => ({ source: key, ...value.outcomes });

export function ruleRow({ value, count, missed }: Entry<RuleTally>): RuleRow {
  const { layer, rule, blocked, detected, clients, paths, reference = null } = value;
  const perClient = clients.count === 0 ? 0 : count / clients.count;
  return {
    ...{ layer, rule, blocked, detected, count, missed },
    ...{ clients: clients.count, clientsExact: clients.isExact && missed === 0, perClient },
    paths: paths.counts(reportBounds.shownPaths).map(({ name, count: of }) => ({ path: name, count: of })),
    reference,
  };
}

function addressRow({ key, value, count, missed }: Entry<AddressTally>): AddressRow {
  const { country, gateway, tcp, last } = value;
  const { allowed, auth_failure, banned, blocked, unbanned } = tcp;
  const isOnBoth = Number.isFinite(gateway.first) && Number.isFinite(tcp.first);
  return {
    ...{ address: key, country, count, missed },
    gateways: { blocked: gateway.blocked, detected: gateway.detected },
    tcpGuard: { blocked, auth_failure, banned, unbanned, allowed },
    firstAt: isOnBoth ? (gateway.first <= tcp.first ? 'gateway' : 'tcp-guard') : null,
    lastSeen: timeText(last) ?? '',
  };
}

const pathRow = ({ key, value, count, missed }: Entry<PathTally>): PathRow => ({
  ...{ path: key, rule: value.rule, count, missed },
});

const isOnBothLayers = ({ value: { gateway, tcp } }: Entry<AddressTally>): boolean =>
  Number.isFinite(gateway.first) && Number.isFinite(tcp.first);

const countryRow = ({ key, count }: Entry<undefined>): CountryRow => ({ country: key, count });

/** Returns the first series of `named`, and one with the events that are in none of them, if there are any. */
function chartSeriesOf(
  tally: Tally,
  named: readonly { readonly name: string; readonly series: Series }[],
): ChartSeries[] {
  const shown = named.slice(0, reportBounds.series).map(({ name, series }) => ({
    name,
    counts: tally.timeline.counts(series),
  }));
  const others = tally.timeline
    .counts(tally.all)
    .map((all, index) => all - shown.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0));
  return others.some((count) => count > 0) ? [...shown, { name: 'all others', counts: others }] : shown;
}

/** Returns the name of a rule for places that show rules of gateways and reasons of tcp-guard together. */
export const ruleName = ({ layer, rule }: Pick<RuleRow, 'layer' | 'rule'>): string =>
  layer === 'gateway' ? rule : `tcp-guard: ${rule}`;

function timelineOf(tally: Tally): ReportResult['timeline'] {
  const { timeline, sources, rules } = tally;
  const hits = sources.sorted().filter(({ value }) => value.outcomes.blocked + value.outcomes.detected > 0);
  const bySource = hits.map(({ key, value }) => ({ name: key, series: value.series }));
  const byRule = rules.sorted().map(({ value }) => ({ name: ruleName(value), series: value.series }));
  return {
    bucketMs: timeline.bucketMs,
    starts: timeline.barStarts().map((start) => new Date(start).toISOString()),
    bySource: chartSeriesOf(tally, bySource),
    byRule: chartSeriesOf(tally, byRule),
  };
}

/**
 * A rule of a gateway is suspect when at least `clients` clients match it, with at most `perClient` requests each on
 * average. Visitors send few requests; a scanner sends many from one address.
 */
export const suspicion = { clients: 10, perClient: 3 } as const;
const mostSuspects = 20;

function suspectsOf(rules: readonly RuleRow[]): RuleRow[] {
  return rules
    .filter(({ layer, clients }) => layer === 'gateway' && clients >= suspicion.clients)
    .filter(({ perClient }) => perClient <= suspicion.perClient)
    .sort((one, other) => other.clients - one.clients)
    .slice(0, mostSuspects);
}

/** Returns the listed files. Those with a problem come first, because the limit cuts the end of the list. */
function listedFiles(files: readonly FileCount[]): readonly FileCount[] {
  const hasProblem = ({ problem }: FileCount) => Number(problem !== undefined);
  return files.toSorted((one, other) => hasProblem(other) - hasProblem(one)).slice(0, reportBounds.files);
}

/** Returns the document without the members that the command adds. */
export function documentOf(
  tally: Tally,
  files: readonly FileCount[],
): Omit<ReportResult, 'page' | 'site' | 'isOfLoki'> {
  const { range, skipped, totals, before, undetailed, events, sources, rules, addresses, paths, countries } = tally;
  const [ruleEntries, addressEntries] = [rules.sorted(), addresses.sorted()];
  return {
    generated: new Date(range.now).toISOString(),
    since: timeText(range.since),
    first: timeText(tally.first),
    last: timeText(tally.last),
    files: listedFiles(files),
    moreFiles: Math.max(files.length - reportBounds.files, 0),
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
    ...{ events, skipped, totals, undetailed },
    before: Object.values(before).some((count) => count > 0) ? before : null,
    sources: topList(sources, sources.sorted(), sourceRow),
    timeline: timelineOf(tally),
    notices: edgeNotices(addressEntries.map(({ key }) => key)),
    rules: topList(rules, ruleEntries, ruleRow),
    suspects: suspectsOf(ruleEntries.map(ruleRow)),
    addresses: topList(addresses, addressEntries, addressRow),
    bothLayers: topList(addresses, addressEntries.filter(isOnBothLayers), addressRow),
    countries: topList(countries, countries.sorted(), countryRow),
    paths: topList(paths, paths.sorted(), pathRow),
    answered: tally.answered,
  };
}
