/** Inspection of text protocols: a line reader for each side, and the events of the current chunk. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { InspectorEvent, InspectorSession, SessionShape } from '../inspector.ts';
import { lastKinds, violation } from './events.ts';
import { type LineHandler, LineReader } from './lines.ts';

export interface Channel {
  readonly client: LineReader;
  readonly server: LineReader;
  /** A violation, a denial or an opaque event ends the inspection. */
  readonly emit: (event: InspectorEvent) => void;
}

export interface LineHandlers {
  readonly client: LineHandler['line'];
  readonly server: LineHandler['line'];
}

const noEvents: readonly InspectorEvent[] = [];

/** Runs an inspection. `open` gets the readers and returns a line handler for each side. */
export function openText(open: (channel: Channel) => LineHandlers): InspectorSession {
  let events: InspectorEvent[] = [];
  let isDone = false;
  const emit = (event: InspectorEvent) => {
    if (isDone) return;
    events.push(event);
    if (!lastKinds.has(event.kind)) return;
    isDone = true;
    channel.client.stop();
    channel.server.stop();
  };
  const fault = (reason: string) => emit(violation(reason));
  const channel: Channel = {
    client: new LineReader({ line: (...line) => handlers.client(...line), fault }, daemonBounds.clientLineBytes, true),
    server: new LineReader({ line: (...line) => handlers.server(...line), fault }, daemonBounds.serverLineBytes),
    emit,
  };
  const handlers = open(channel);
  return {
    take: (side, chunk) => {
      if (isDone) return noEvents;
      channel[side].take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      if (events.length === 0) return noEvents;
      const taken = events;
      events = [];
      return taken;
    },
    end: (_shape: SessionShape) => noEvents,
    isDone: () => isDone,
  };
}
