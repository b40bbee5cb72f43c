/** Collects the events of the current chunk until one of them ends the inspection. */
import type { InspectorEvent, InspectorSession, Side } from '../inspector.ts';

const noEvents: readonly InspectorEvent[] = [];
/** A constant, because a function of the session would keep what the session has held. */
const endWithoutEvents = () => noEvents;
const lastKinds: ReadonlySet<InspectorEvent['kind']> = new Set(['violation', 'denied', 'opaque']);

/** `onDone`: called when the inspection ends. */
export function createReport(onDone = () => {}) {
  let events: InspectorEvent[] = [];
  let isOver = false;
  let heldBytes = 0;
  const isDone = () => isOver;
  const finish = () => {
    isOver = true;
    onDone();
  };
  const emit = (event: InspectorEvent) => {
    if (isOver) return;
    events.push(event);
    if (lastKinds.has(event.kind)) finish();
  };
  /** Adds to the held bytes of the connection. Negative: removes. */
  const hold = (bytes: number) => {
    heldBytes += bytes;
  };
  /** `bufferedBytes`: the bytes that readers hold, which are not reported with `hold`. */
  const session = (
    read: (side: Side, chunk: Buffer) => void,
    unseen: InspectorSession['unseen'] = () => 0,
    bufferedBytes = () => 0,
  ): InspectorSession => ({
    feed: (side, chunk) => {
      if (isOver) return noEvents;
      read(side, Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      if (events.length === 0) return noEvents;
      const reported = events;
      events = [];
      return reported;
    },
    unseen,
    heldBytes: () => heldBytes + bufferedBytes(),
    end: endWithoutEvents,
    isDone,
  });
  return { emit, hold, finish, isDone, session };
}
