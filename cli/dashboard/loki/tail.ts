/** The live tail: Loki's WebSocket, opened again whenever it ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { lokiBounds } from './bounds.ts';
import type { Loki } from './client.ts';
import { compareNs, type LogLine, linesOf } from './result.ts';

export interface Tail {
  /** Nanoseconds since the epoch, in digits: from where it starts. */
  readonly since: string;
  /** Lines in the order of their times. */
  readonly onLines: (lines: readonly LogLine[]) => void;
  /** Whether it is connected. */
  readonly onState: (isConnected: boolean) => void;
}

function addressOf({ address }: Loki, query: string, since: string): URL {
  const url = new URL('/loki/api/v1/tail', address);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.searchParams.set('query', query);
  url.searchParams.set('start', since);
  url.searchParams.set('limit', String(lokiBounds.lines));
  return url;
}

function messageOf(data: unknown): LogLine[] {
  if (typeof data !== 'string' || data.length > lokiBounds.messageBytes) return [];
  try {
    const { streams } = JSON.parse(data) as { streams?: unknown };
    return linesOf(streams).sort((one, other) => compareNs(one.ns, other.ns));
  } catch {
    return [];
  }
}

/** One connection, until it ends. Returns whether it was open. */
async function connection(url: URL, signal: AbortSignal, { onLines, onState }: Tail): Promise<boolean> {
  const socket = new WebSocket(url);
  const { promise, resolve } = Promise.withResolvers<void>();
  let isOpen = false;
  socket.onopen = () => {
    isOpen = true;
    onState(true);
  };
  socket.onmessage = ({ data }) => {
    const lines = messageOf(data);
    if (lines.length > 0) onLines(lines);
  };
  socket.onerror = () => resolve();
  socket.onclose = () => resolve();
  const end = () => {
    socket.close();
    resolve(); // without the farewell of a server that may be gone
  };
  signal.addEventListener('abort', end, { once: true });
  await promise;
  signal.removeEventListener('abort', end);
  onState(false);
  return isOpen;
}

const afterNs = (ns: string): string => String(BigInt(ns) + 1n);

/** Follows a query until `signal` aborts. Continues after the last line when it connects again. */
export async function followTail(loki: Loki, query: string, tail: Tail, signal: AbortSignal): Promise<void> {
  const { first, last } = lokiBounds.reconnectMs;
  let { since } = tail;
  let wait: number = first;
  const onLines = (lines: readonly LogLine[]) => {
    since = afterNs((lines.at(-1) as LogLine).ns);
    tail.onLines(lines);
  };
  while (!signal.aborted) {
    const wasOpen = await connection(addressOf(loki, query, since), signal, { ...tail, onLines });
    wait = wasOpen ? first : Math.min(wait * 2, last);
    await sleep(wait, undefined, { signal }).catch(() => {});
  }
}
