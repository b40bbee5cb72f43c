/** Client of Loki's HTTP API. Responses are bounded. */
import { bytesWithin } from '../../../platform/bounded.ts';
import { lokiBounds } from './bounds.ts';
import { notLoki, reasonOf, refused, tooLarge, unreachable } from './errors.ts';
import { type QueryResult, readResult } from './result.ts';

export interface Range {
  /** Milliseconds since the epoch, or nanoseconds in digits. The start is part of the range, the end is not. */
  readonly start: number | string;
  readonly end: number | string;
  /** Between two samples. */
  readonly stepMs?: number;
  readonly limit?: number;
  /** Of lines; absent: the newest come first. */
  readonly direction?: 'forward' | 'backward';
}

export interface Loki {
  /** For messages: without the path, which may be secret. */
  readonly address: string;
  /** Of a path of the API. */
  readonly url: (path: string) => URL;
  readonly signal: AbortSignal;
  /** Whether it takes queries. */
  readonly ready: () => Promise<boolean>;
  /** At one time, in milliseconds since the epoch. */
  readonly query: (logql: string, at: number) => Promise<QueryResult>;
  readonly queryRange: (logql: string, range: Range) => Promise<QueryResult>;
}

type Parameters = Readonly<Record<string, string | undefined>>;

async function get(loki: Pick<Loki, 'address' | 'url' | 'signal'>, path: string, parameters: Parameters = {}) {
  const { address, signal } = loki;
  const url = loki.url(path);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  const both = AbortSignal.any([signal, AbortSignal.timeout(lokiBounds.timeoutMs)]);
  try {
    const response = await fetch(url, { signal: both, redirect: 'error' });
    const bytes = await bytesWithin(response.body ?? [], lokiBounds.responseBytes);
    if (!bytes) throw tooLarge(address);
    return { status: response.status, text: bytes.toString('utf8') };
  } catch (error) {
    signal.throwIfAborted();
    if ((error as { code?: unknown }).code === 'loki_too_large') throw error;
    throw unreachable(address, reasonOf(error), error);
  }
}

const nanoseconds = (time: number | string): string => (typeof time === 'string' ? time : `${Math.round(time)}000000`);

/** `base` is its URL without a final slash. It may have a path. */
export function openLoki(base: string, signal: AbortSignal): Loki {
  const { origin: address } = new URL(base);
  const self = { address, url: (path: string) => new URL(`${base}${path}`), signal };
  const ask = async (path: string, parameters: Parameters): Promise<QueryResult> => {
    const { status, text } = await get(self, path, parameters);
    if (status !== 200) throw refused(address, status, text);
    const result = readResult(text);
    if (!result) throw notLoki(address);
    return result;
  };
  return {
    ...self,
    ready: async () => (await get(self, '/ready')).status === 200,
    query: (query, at) => ask('/loki/api/v1/query', { query, time: nanoseconds(at) }),
    queryRange: (query, { start, end, stepMs, limit, direction }) =>
      ask('/loki/api/v1/query_range', {
        ...{ query, direction, start: nanoseconds(start), end: nanoseconds(end) },
        step: stepMs === undefined ? undefined : `${Math.max(stepMs, 1)}ms`,
        limit: limit === undefined ? undefined : String(limit),
      }),
  };
}
