/** Security events by the request they belong to. */
import type { GuardEvent, SandboxLine } from '../sandbox/output.ts';
import { markedIndex } from './request-bytes.ts';

/** An event is written before its answer; what remains is its way through the container runtime. */
const arrivalTimeoutMs = 2000;

export interface EventLog {
  /** Takes every line of the sandbox; what is not an event of a probe counts for nothing. */
  readonly take: (line: SandboxLine) => void;
  /** Resolves once an event of this request is there, or when it is too late for one. */
  readonly arrived: (index: number) => Promise<void>;
  readonly of: (index: number) => readonly GuardEvent[];
}

export function createEventLog(): EventLog {
  const events = new Map<number, GuardEvent[]>();
  const waiting = new Map<number, () => void>();
  return {
    take: (line) => {
      if (line.type !== 'guard_block' && line.type !== 'guard_detect') return;
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
