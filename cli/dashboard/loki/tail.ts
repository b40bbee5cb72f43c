/** Receives new lines over Loki's WebSocket. Reconnects when the connection ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { lokiBounds } from './bounds.ts';
import type { Loki } from './client.ts';
import { compareNs, type LogLine, linesOf, Newest } from './result.ts';
import { receiveTexts } from './websocket.ts';

export interface Tail {
  /** Time from which lines are received, in nanoseconds since the epoch. */
  readonly since: string;
  /** The lines are sorted by time. */
  readonly onLines: (lines: readonly LogLine[]) => void;
  readonly onState: (isConnected: boolean) => void;
}

function tailUrl(loki: Loki, query: string, since: string): URL {
  const url = loki.url('/loki/api/v1/tail');
  url.searchParams.set('query', query);
  url.searchParams.set('start', since);
  url.searchParams.set('limit', String(lokiBounds.lines));
  return url;
}

function linesOfMessage(text: string): LogLine[] {
  try {
    const { streams } = JSON.parse(text) as { streams?: unknown };
    return linesOf(streams).sort((one, other) => compareNs(one.ns, other.ns));
  } catch {
    return [];
  }
}

/** Resolves when the connection has ended: to true if it was open before. */
async function receiveOnce(url: URL, signal: AbortSignal, { onLines, onState }: Tail): Promise<boolean> {
  let isOpen = false;
  const onOpen = () => {
    isOpen = true;
    onState(true);
  };
  const onText = (text: string) => {
    const lines = linesOfMessage(text);
    if (lines.length > 0) onLines(lines);
  };
  const { messageBytes: mostBytes, timeoutMs } = lokiBounds;
  await receiveTexts(url, { signal, mostBytes, timeoutMs, onOpen, onText });
  onState(false);
  return isOpen;
}

/** Follows a query until `signal` aborts. Continues at the time of the newest line when it connects again. */
export async function followTail(loki: Loki, query: string, tail: Tail, signal: AbortSignal): Promise<void> {
  const { first, last } = lokiBounds.reconnectMs;
  const newest = new Newest();
  let wait: number = first;
  const onLines = (lines: readonly LogLine[]) => {
    const fresh = newest.add(lines);
    if (fresh.length > 0) tail.onLines(fresh);
  };
  while (!signal.aborted) {
    const wasOpen = await receiveOnce(tailUrl(loki, query, newest.ns || tail.since), signal, { ...tail, onLines });
    wait = wasOpen ? first : Math.min(wait * 2, last);
    await sleep(wait, undefined, { signal }).catch(() => {});
  }
}
