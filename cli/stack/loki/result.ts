import { hash } from 'node:crypto';
import { lokiBounds } from './bounds.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly value: number;
}

export interface Series {
  readonly labels: Labels;
  readonly samples: readonly Sample[];
}

export interface LogLine {
  /** Nanoseconds since the epoch, as a decimal string. */
  readonly ns: string;
  /** Labels of the stream, and structured metadata of the line. */
  readonly labels: Labels;
  readonly line: string;
}

export type QueryResult =
  | { readonly kind: 'series'; readonly series: readonly Series[]; readonly isCut: boolean }
  | { readonly kind: 'lines'; readonly lines: readonly LogLine[]; readonly isCut: boolean };

export const millisecondsOf = ({ ns }: Pick<LogLine, 'ns'>): number => Number(ns.slice(0, -6));

export type Members = Readonly<Record<string, unknown>>;
export const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function labelsOf(value: unknown): Labels {
  const entries = Object.entries(membersOf(value)).filter(([, text]) => typeof text === 'string');
  return Object.fromEntries(entries) as Labels;
}

const infinities: Readonly<Record<string, number>> = {
  '+Inf': Number.POSITIVE_INFINITY,
  '-Inf': Number.NEGATIVE_INFINITY,
};

/** Parses a sample in the form `[seconds, "value"]`. */
function sampleOf(value: unknown): Sample {
  const [seconds, text] = listOf(value);
  return { at: Number(seconds) * 1000, value: infinities[String(text)] ?? Number(text) };
}

function seriesOf(rows: readonly unknown[]): QueryResult {
  const series: Series[] = [];
  let left: number = lokiBounds.samples;
  for (const row of rows.slice(0, lokiBounds.series)) {
    const { metric, value, values } = membersOf(row);
    const samples = (value === undefined ? listOf(values) : [value]).slice(0, left).map(sampleOf);
    left -= samples.length;
    series.push({ labels: labelsOf(metric), samples });
  }
  return { kind: 'series', series, isCut: rows.length > lokiBounds.series || left === 0 };
}

/** Returns the lines of all streams, in the order of the response. Omits malformed lines and those beyond the bound. */
export function linesOf(streams: unknown): LogLine[] {
  const lines: LogLine[] = [];
  for (const one of listOf(streams)) {
    const { stream, values } = membersOf(one);
    const labels = labelsOf(stream);
    for (const value of listOf(values)) {
      const [ns, line] = listOf(value);
      if (typeof ns !== 'string' || !/^\d{7,20}$/.test(ns) || typeof line !== 'string') continue;
      if (lines.push({ ns, labels, line }) === lokiBounds.lines) return lines;
    }
  }
  return lines;
}

/** Compares times in nanoseconds. They are decimal strings: a longer one is later. */
export const compareNs = (one: string, other: string): number =>
  one.length - other.length || (one < other ? -1 : Number(one > other));

/** Identifies a line among those with the same time: Loki stores identical lines of a stream only once. */
const keyOf = ({ labels, line }: LogLine): string => hash('sha256', `${JSON.stringify(labels)} ${line}`);

/** Remembers up to `lokiBounds.lines` lines of the newest time. Requests that start at this time receive them again. */
export class Newest {
  /** Nanoseconds since the epoch, as a decimal string. Empty before the first line. */
  ns = '';
  readonly #keys = new Set<string>();

  /** Returns the lines that are new. @param lines sorted by time */
  add(lines: readonly LogLine[]): LogLine[] {
    const fresh = lines.filter((line) => line.ns !== this.ns || !this.#keys.has(keyOf(line)));
    const { ns } = lines.at(-1) ?? this;
    if (compareNs(ns, this.ns) > 0) {
      this.ns = ns;
      this.#keys.clear();
    }
    for (const line of lines) if (line.ns === this.ns) this.#keys.add(keyOf(line));
    for (const key of this.#keys) {
      if (this.#keys.size <= lokiBounds.lines) break;
      this.#keys.delete(key);
    }
    return fresh;
  }
}

type Reader = (result: unknown) => QueryResult;

const readers: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ['matrix', (result) => seriesOf(listOf(result))],
  ['vector', (result) => seriesOf(listOf(result))],
  ['scalar', (result) => seriesOf([{ metric: {}, value: result }])],
  [
    'streams',
    (result) => {
      const lines = linesOf(result);
      return { kind: 'lines', lines, isCut: lines.length === lokiBounds.lines };
    },
  ],
]);

/** Parses a response. Returns undefined when the text is not a response of Loki. */
export function readResult(text: string): QueryResult | undefined {
  try {
    const { resultType, result } = membersOf(membersOf(JSON.parse(text)).data);
    return readers.get(resultType)?.(result);
  } catch {
    return undefined;
  }
}
