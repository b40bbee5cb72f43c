/** The last events, with bounds on their number and bytes. */
import type { AuditEvent } from '../../audit/event.ts';
import type { ApiBounds } from '../bounds.ts';

export interface Ring {
  readonly push: (event: AuditEvent) => void;
  /** Undefined when the event was dropped or does not exist yet. */
  readonly at: (number: number) => AuditEvent | undefined;
  readonly frame: (number: number) => Buffer;
  /** The number of the oldest event. Equals `next` when the ring is empty. */
  readonly oldest: () => number;
  readonly next: () => number;
}

/** The approximate size of an event without facts and reason, in bytes. */
const bareBytes = 512;

/** Estimates the size of an event in bytes. Serializing each event would be waste: usually there are no readers. */
function sizeOf({ reason, facts }: AuditEvent): number {
  let characters = reason.length;
  for (const name in facts) characters += name.length + (facts[name] as string).length;
  return bareBytes + characters * 2;
}

/** `epoch`: the part of an id that distinguishes runs of the daemon. */
export function createRing(epoch: string, { apiEvents, apiEventsBytes }: ApiBounds): Ring {
  /** Event n is at index n modulo the capacity. */
  const events: (AuditEvent | undefined)[] = Array.from({ length: apiEvents });
  let [oldest, next, bytes] = [1, 1, 0];
  /** The frame that was requested last: usually the next reader requests the same event. */
  let framed = { number: 0, frame: Buffer.alloc(0) };
  const at = (number: number) => (number >= oldest && number < next ? events[number % apiEvents] : undefined);
  const forget = () => {
    bytes -= sizeOf(events[oldest % apiEvents] as AuditEvent);
    events[oldest % apiEvents] = undefined;
    oldest += 1;
  };
  return {
    push: (event) => {
      bytes += sizeOf(event);
      while (next - oldest >= apiEvents || (bytes > apiEventsBytes && oldest < next)) forget();
      events[next % apiEvents] = event;
      next += 1;
    },
    at,
    frame: (number) => {
      if (framed.number === number) return framed.frame;
      const event = at(number) as AuditEvent;
      const text = `id: ${epoch}-${number}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      framed = { number, frame: Buffer.from(text) };
      return framed.frame;
    },
    oldest: () => oldest,
    next: () => next,
  };
}
