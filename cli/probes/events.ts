/** Collects security events by the request that caused them. */
import type { RequestEvent } from '../../contract/events/members.ts';
import { isRequestEvent } from '../../contract/events/read.ts';
import { markedIndex } from './request-bytes.ts';

/** Milliseconds. A busy container runtime can delay the output of the guard by seconds. */
const arrivalTimeoutMs = 15_000;

export interface EventLog {
  /** Receives each line of the guard. Ignores lines that are not events of a probe. */
  readonly onLine: (line: { readonly type: string }) => void;
  /** Resolves when an event of this request arrives, or after the time limit. */
  readonly arrived: (index: number) => Promise<void>;
  readonly of: (index: number) => readonly RequestEvent[];
}

export function createEventLog(): EventLog {
  const events = new Map<number, RequestEvent[]>();
  const waiting = new Map<number, () => void>();
  return {
    onLine: (line) => {
      if (!isRequestEvent(line)) return;
      const index = markedIndex(line.user_agent);
      if (index === undefined) return;
      events.set(index, [...(events.get(index) ?? []), line]);
      waiting.get(index)?.();
    },
    arrived: async (index) => {
      if (events.has(index)) return;
      const arrival = Promise.withResolvers<void>();
      const timer = setTimeout(arrival.resolve, arrivalTimeoutMs);
      waiting.set(index, arrival.resolve);
      await arrival.promise;
      waiting.delete(index);
      clearTimeout(timer);
    },
    of: (index) => events.get(index) ?? [],
  };
}
