/** Client of Loki's HTTP API. Bounds the size of responses. */
import { bytesWithin } from '../../../platform/bounded.ts';
import { lokiBounds } from './bounds.ts';
import { notLokiError, reasonOf, refusedError, tooLargeError, unreachableError } from './errors.ts';
import { type QueryResult, readResult } from './result.ts';

export interface Range {
  /** Milliseconds since the epoch, or nanoseconds as a decimal string. A query for lines omits lines at `end`. */
  readonly start: number | string;
  readonly end: number | string;
  readonly stepMs?: number;
  readonly limit?: number;
  /** Order of the lines. Absent: the newest line first. */
  readonly direction?: 'forward' | 'backward';
}

export interface Loki {
  /** Origin of the URL, for messages. The path may contain a secret. */
  readonly address: string;
  readonly url: (path: string) => URL;
  readonly signal: AbortSignal;
  /** Hint for errors: what the user can do without Loki. */
  readonly fallbackHint?: string | undefined;
  /**
   * Resolves to false while Loki starts, then to true.
   * @throws ExternalError when the server does not respond or is not Loki
   */
  readonly ready: () => Promise<boolean>;
  /** `at`: milliseconds since the epoch. */
  readonly query: (logql: string, at: number) => Promise<QueryResult>;
  readonly queryRange: (logql: string, range: Range) => Promise<QueryResult>;
}

/** Returns true for queries that return lines. They begin with a selector in braces. */
export const isLineQuery = (logql: string): boolean => /^(?:\s|\(|#[^\n]*\n)*\{/.test(logql);

type Parameters = Readonly<Record<string, string | undefined>>;

async function getText(
  loki: Pick<Loki, 'address' | 'url' | 'signal' | 'fallbackHint'>,
  path: string,
  parameters: Parameters = {},
) {
  const { address, signal, fallbackHint } = loki;
  const url = loki.url(path);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  const abortOrTimeout = AbortSignal.any([signal, AbortSignal.timeout(lokiBounds.timeoutMs)]);
  try {
    const response = await fetch(url, { signal: abortOrTimeout, redirect: 'error' });
    const bytes = await bytesWithin(response.body ?? [], lokiBounds.responseBytes);
    if (!bytes) throw tooLargeError(address);
    return { status: response.status, text: bytes.toString('utf8') };
  } catch (error) {
    signal.throwIfAborted();
    if ((error as { code?: unknown }).code === 'loki_too_large') throw error;
    throw unreachableError(address, reasonOf(error), error, fallbackHint);
  }
}

const nanosecondsText = (time: number | string): string =>
  typeof time === 'string' ? time : `${Math.round(time)}000000`;

/** Status of Loki's responses while it starts. */
const notReadyStatus = 503;

/** Returns a client. @param base URL of Loki without a final slash; it may have a path */
export function openLoki(base: string, signal: AbortSignal, fallbackHint?: string): Loki {
  const { origin: address } = new URL(base);
  const self = { address, url: (path: string) => new URL(`${base}${path}`), signal, fallbackHint };
  const fetchResult = async (path: string, parameters: Parameters): Promise<QueryResult> => {
    const { status, text } = await getText(self, path, parameters);
    if (status !== 200) throw refusedError(address, status, text);
    const result = readResult(text);
    if (!result) throw notLokiError(address);
    return result;
  };
  return {
    ...self,
    ready: async () => {
      const { status } = await getText(self, '/ready');
      if (status !== 200 && status !== notReadyStatus) throw notLokiError(address);
      return status === 200;
    },
    query: (query, at) => fetchResult('/loki/api/v1/query', { query, time: nanosecondsText(at) }),
    queryRange: (query, { start, end, stepMs, limit, direction }) =>
      fetchResult('/loki/api/v1/query_range', {
        ...{ query, direction, start: nanosecondsText(start), end: nanosecondsText(end) },
        step: stepMs === undefined ? undefined : `${Math.max(stepMs, 1)}ms`,
        limit: limit === undefined ? undefined : String(limit),
      }),
  };
}
