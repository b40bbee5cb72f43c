/** Reads all lines of a range, oldest first. Memory contains only one page of lines at a time. */
import { ExternalError, type GuardError } from '../../../platform/errors.ts';
import { lokiBounds } from './bounds.ts';
import type { Loki } from './client.ts';
import { notLokiError } from './errors.ts';
import { compareNs, type LogLine, Newest } from './result.ts';

export interface Span {
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
}

const nanosecondsOf = (ms: number): bigint => BigInt(Math.round(ms)) * 1_000_000n;

interface Page {
  readonly lines: readonly LogLine[];
  /** True when the page reached its limit. */
  readonly isFull: boolean;
}

/** Requests a page of lines. Omits those outside of the range. Reduces `limit` when the response is too large. */
async function pageOf(loki: Loki, query: string, start: bigint, end: bigint, limit: number): Promise<Page> {
  try {
    const range = { start: String(start), end: String(end), limit, direction: 'forward' } as const;
    const result = await loki.queryRange(query, range);
    if (result.kind !== 'lines') throw notLokiError(loki.address);
    const lines = result.lines
      .filter(({ ns }) => BigInt(ns) >= start && BigInt(ns) < end)
      .sort((one, other) => compareNs(one.ns, other.ns));
    return { lines, isFull: lines.length >= limit };
  } catch (error) {
    if ((error as GuardError).code !== 'loki_too_large' || limit < 4) throw error;
    return pageOf(loki, query, start, end, Math.floor(limit / 4));
  }
}

function tooDenseError(loki: Loki, ns: string): ExternalError {
  const time = new Date(Number(ns.slice(0, -6))).toISOString();
  return new ExternalError(`Loki at ${loki.address} has more lines of the time ${time} than it returns`, {
    code: 'loki_too_dense',
    hint: `name the event files instead, or raise max_entries_limit_per_query above ${lokiBounds.lines}`,
    failed: { tool: 'loki' },
  });
}

const [shortestWindow, longestWindow] = [nanosecondsOf(1000), nanosecondsOf(86_400_000)];
const clampedWindow = (window: bigint): bigint =>
  window < shortestWindow ? shortestWindow : window > longestWindow ? longestWindow : window;

/** Yields pages of at most 5,000 lines. */
export async function* pagesOf(loki: Loki, query: string, span: Span): AsyncGenerator<readonly LogLine[]> {
  const end = nanosecondsOf(span.end);
  let start = nanosecondsOf(span.start);
  /**
   * Length of the time range of one request, in nanoseconds. It shrinks and grows with the density of lines, because
   * Loki reads the whole range for each page.
   */
  let window = longestWindow;
  const newest = new Newest();
  while (start < end) {
    const until = start + window < end ? start + window : end;
    const { lines, isFull } = await pageOf(loki, query, start, until, lokiBounds.lines);
    const fresh = newest.add(lines);
    if (fresh.length > 0) yield fresh;
    if (!isFull) {
      start = until;
      window = clampedWindow(window * 4n);
      continue;
    }
    // Another request from this time would return the same lines. A server that returns others would never end.
    if (BigInt(newest.ns) === start) throw tooDenseError(loki, newest.ns);
    window = clampedWindow((BigInt(newest.ns) - start) * 2n);
    start = BigInt(newest.ns);
  }
}
