/** Loads the data of a panel: runs its queries, and reduces the samples to the values that are drawn. */

import { isLineQuery, type Loki } from '../stack/loki/client.ts';
import {
  compareNs,
  type Labels,
  type LogLine,
  type QueryResult,
  type Sample,
  type Series,
} from '../stack/loki/result.ts';
import type { Panel, PanelQuery, Variable } from './boards/model.ts';
import { substitute } from './boards/substitute.ts';

export interface TimeSeries {
  readonly name: string;
  readonly labels: Labels;
  /** Value at each sample time. 0 where Loki returned no finite number. */
  readonly values: readonly number[];
}

export interface ValueRow {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
  /** Index of the query that returned the value. */
  readonly query: number;
}

export type PanelData =
  | { readonly kind: 'time'; readonly times: readonly number[]; readonly series: readonly TimeSeries[] }
  | { readonly kind: 'values'; readonly rows: readonly ValueRow[] }
  /** The newest line is first. */
  | { readonly kind: 'lines'; readonly lines: readonly LogLine[] };

export interface View {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly rangeMs: number;
  readonly variables: readonly Variable[];
  readonly chosen: Readonly<Record<string, string>>;
}

/** Bounds memory: lines of a panel, and characters of a line. */
const keptLines = 500;
const keptCharacters = 4096;

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const stepLengths = [
  ...[1, 2, 5, 10, 15, 30].map((length) => length * second),
  ...[1, 2, 5, 10, 15, 30].map((length) => length * minute),
  ...[1, 2, 3, 6, 12, 24, 48, 168].map((length) => length * hour),
];

/** Returns the shortest step that divides the range into at most `points` steps, or the longest step. */
export const stepFor = (rangeMs: number, points: number): number =>
  stepLengths.find((step) => rangeMs / step <= points) ?? (stepLengths.at(-1) as number);

/** Returns the times of the samples: multiples of the step, so that samples of a reload count the same intervals. */
export function gridOf({ now, rangeMs }: View, stepMs: number): number[] {
  const first = Math.floor((now - rangeMs) / stepMs) + 1;
  const last = Math.ceil(now / stepMs);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * stepMs);
}

/** Replaces each `{{label}}` of the legend. Without a legend, joins the values of all labels. */
export function nameOf(labels: Labels, legend: string): string {
  if (legend !== '') return legend.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => labels[name] ?? '');
  return Object.values(labels).join(', ');
}

interface Request {
  readonly loki: Loki;
  readonly view: View;
  readonly stepMs: number;
  readonly isTime: boolean;
}

function runQuery({ loki, view, stepMs, isTime }: Request, query: PanelQuery): Promise<QueryResult> {
  const { now, rangeMs } = view;
  const isInstant = query.isInstant && !isTime;
  const logql = substitute(query.expr, { ...view, stepMs, isInstant });
  const limit = Math.min(query.lines ?? keptLines, keptLines);
  if (isLineQuery(logql)) return loki.queryRange(logql, { start: now - rangeMs, end: now + minute, limit });
  if (isInstant) return loki.query(logql, now);
  const times = gridOf(view, stepMs);
  return loki.queryRange(logql, { start: times[0] as number, end: times.at(-1) as number, stepMs });
}

const shortenLine = (line: LogLine): LogLine =>
  line.line.length > keptCharacters ? { ...line, line: line.line.slice(0, keptCharacters) } : line;

/** Returns each line once, the newest first, at most `keptLines`. */
function newestLines(found: readonly LogLine[]): LogLine[] {
  const lines = new Map(found.map(shortenLine).map((line) => [`${line.ns} ${line.line}`, line]));
  return [...lines.values()].sort((one, other) => compareNs(other.ns, one.ns)).slice(0, keptLines);
}

function valuesAt(times: readonly number[], samples: readonly Sample[]): number[] {
  const values = new Map(samples.map(({ at, value }) => [at, value]));
  return times.map((at) => {
    const value = values.get(at) ?? 0;
    return Number.isFinite(value) ? value : 0;
  });
}

function seriesOf(results: readonly QueryResult[]): { readonly series: Series; readonly query: number }[] {
  return results.flatMap((result, query) =>
    result.kind === 'series' ? result.series.map((series) => ({ series, query })) : [],
  );
}

function totalOf(rows: readonly ValueRow[]): ValueRow[] {
  const value = rows.reduce((sum, row) => sum + row.value, 0);
  return rows.length === 0 ? [] : [{ name: '', labels: {}, value, query: 0 }];
}

type Calculation = (values: readonly number[]) => number;

const sum: Calculation = (values) => values.reduce((all, value) => all + value, 0);
const last: Calculation = (values) => values.at(-1) ?? 0;

const calculations: ReadonlyMap<string, Calculation> = new Map<string, Calculation>([
  ['sum', sum],
  ['mean', (values) => (values.length === 0 ? 0 : sum(values) / values.length)],
  ['max', (values) => values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)],
  ['min', (values) => values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)],
  ['count', (values) => values.length],
  ['first', (values) => values[0] ?? 0],
  ['firstNotNull', (values) => values[0] ?? 0],
]);

/** Reduces samples to one value by Grafana's id of the calculation. An unknown calculation returns the last value. */
function reduceSamples(calculation: string, samples: readonly Sample[]): number {
  const values = samples.map(({ value }) => value).filter((value) => !Number.isNaN(value));
  return values.length === 0 ? 0 : (calculations.get(calculation) ?? last)(values);
}

/** Loads the data of a panel. @param points number of samples that the panel can show */
export async function loadPanel(loki: Loki, panel: Panel, view: View, points: number): Promise<PanelData> {
  const isTime = panel.drawing === 'time';
  const stepMs = stepFor(view.rangeMs, points);
  const results: QueryResult[] = [];
  for (const query of panel.queries) results.push(await runQuery({ loki, view, stepMs, isTime }, query));
  const lines = results.flatMap((result) => (result.kind === 'lines' ? result.lines : []));
  const isOfLogs = panel.drawing === 'logs' || results.some(({ kind }) => kind === 'lines');
  if (isOfLogs) return { kind: 'lines', lines: newestLines(lines) };
  const legendOf = (query: number) => panel.queries[query]?.legend ?? '';
  const all = seriesOf(results).map(({ series: { labels, samples }, query }) => ({
    ...{ name: nameOf(labels, legendOf(query)), labels, samples, query },
  }));
  if (isTime) {
    const times = gridOf(view, stepMs);
    const series = all.map(({ name, labels, samples }) => ({ name, labels, values: valuesAt(times, samples) }));
    return { kind: 'time', times, series };
  }
  const rows = all.map(({ samples, ...row }) => ({ ...row, value: reduceSamples(panel.calculation, samples) }));
  if (panel.isSumOnly) return { kind: 'values', rows: totalOf(rows) };
  return { kind: 'values', rows: rows.sort((one, other) => other.value - one.value) };
}
