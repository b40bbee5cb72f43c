/** The readers of the event stream. */
import type { ServerResponse } from 'node:http';
import type { AuditAction, AuditEvent } from '../../audit/event.ts';
import { commonHeaders } from '../answer.ts';
import type { ApiBounds } from '../bounds.ts';
import type { DaemonControl } from '../daemon-control.ts';
import { createReader, type Reader } from './reader.ts';
import { createRing, type Ring } from './ring.ts';

interface Following {
  /** The service whose events are sent. Undefined: all services. */
  readonly service: string | undefined;
  readonly action: AuditAction | undefined;
  /** The id of the last event that the reader has. Empty: the reader wants only new events. */
  readonly lastEventId: string;
  /** Whether the request is a HEAD request. Its stream ends after the headers. */
  readonly isHead: boolean;
}

export interface EventHub {
  readonly readers: () => number;
  /**
   * Returns whether one more reader is accepted. If all slots are occupied, first disconnects a reader that has
   * stalled.
   */
  readonly makeRoom: () => boolean;
  readonly follow: (response: ServerResponse, following: Following) => void;
  /** Ends all streams. Readers reconnect with the id of their last event. */
  readonly disconnect: () => void;
  readonly close: () => void;
}

/** A browser reconnects after this time. */
const retryMs = 2000;

/** The start of a stream. It has the id of the previous event: a reader that disconnects early misses no event. */
function preamble(epoch: string, from: number, missed: number): string {
  const comment = missed > 0 ? `: ${missed} events are not kept any more\n` : '';
  return `${comment}retry: ${retryMs}\nid: ${epoch}-${from - 1}\n\n`;
}

const idForm = /^(?<epoch>[a-z0-9]{1,16})-(?<number>\d{1,15})$/;

/**
 * The number of the next event of a reader, and the number of missed events. A reader of an earlier run has no event of
 * this run.
 */
function resumePoint(ring: Ring, epoch: string, lastEventId: string): { from: number; missed: number } {
  const id = idForm.exec(lastEventId)?.groups;
  if (!id) return { from: ring.next(), missed: 0 };
  const wanted = id.epoch === epoch ? Number(id.number) + 1 : 1;
  const from = Math.min(Math.max(wanted, ring.oldest()), ring.next());
  return { from, missed: Math.max(0, from - wanted) };
}

/** `startedAt`, in milliseconds, makes the ids differ from those of earlier runs. */
export function createHub({ audit }: DaemonControl, startedAt: number, bounds: ApiBounds): EventHub {
  const epoch = startedAt.toString(36);
  const ring = createRing(epoch, bounds);
  const readers = new Map<ServerResponse, Reader>();
  const unfollow = audit.follow((event) => {
    ring.push(event);
    for (const reader of readers.values()) reader.pump();
  });
  const heartbeat = setInterval(() => {
    for (const reader of readers.values()) reader.beat();
  }, bounds.apiHeartbeatMs).unref();

  const follow = (response: ServerResponse, { service, action, lastEventId, isHead }: Following): void => {
    response.writeHead(200, { ...commonHeaders, 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    const { socket } = response.req;
    if (isHead || socket.readableEnded) return void response.end();
    // A client that half-closes has usually gone. It would remain a reader until a write fails.
    socket.once('end', () => response.destroy());
    const { from, missed } = resumePoint(ring, epoch, lastEventId);
    response.write(preamble(epoch, from, missed));
    const isWanted = (event: AuditEvent) =>
      (service === undefined || event.service === service) && (action === undefined || event.action === action);
    const reader = createReader({ response, ring, from, isWanted });
    readers.set(response, reader);
    response.on('close', () => readers.delete(response));
    reader.pump();
  };

  const makeRoom = () => {
    if (readers.size < bounds.apiReaders) return true;
    const since = performance.now() - bounds.apiReaderStallMs;
    const [stalled] = [...readers].find(([, { stalledAt }]) => stalledAt() <= since) ?? [];
    stalled?.destroy();
    return stalled !== undefined;
  };

  const disconnect = () => {
    for (const response of readers.keys()) response.destroy();
  };
  const close = () => {
    clearInterval(heartbeat);
    unfollow();
    disconnect();
  };
  return { readers: () => readers.size, makeRoom, follow, disconnect, close };
}
