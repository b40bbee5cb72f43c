/** Two sockets joined: back-pressure in both directions, the end of one direction passed on alone. */
import type { Socket } from 'node:net';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Side } from '../../inspectors/inspector.ts';
import type { Ending, Relay, RelayEnd, RelayHooks } from '../plane.ts';
import { endSocket, type NetConnection } from './connection.ts';
import { createWriter } from './writer.ts';

interface Joined {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly hooks: RelayHooks;
  readonly bytes: Record<Side, number>;
  inspect: RelayHooks['inspect'];
  activeAt: number;
  /** Decided by whoever ends it first. */
  end: RelayEnd | undefined;
  open: number;
}

function stop(joined: Joined, end: RelayEnd, client: Ending): void {
  joined.end ??= end;
  const isWhole = joined.client.writableLength === 0;
  endSocket(joined.client, isWhole ? client : 'reset');
  endSocket(joined.upstream, 'reset');
}

/** Whether a chunk may pass. A look that stops has ended the relay when it returns, or leaves that to this. */
function passes(joined: Joined, side: Side, chunk: Uint8Array): boolean {
  if (!joined.inspect) return true;
  const inspect = joined.inspect(side, chunk);
  if (inspect === 'blind') joined.inspect = undefined;
  if (inspect === 'stop') stop(joined, 'stopped', 'close');
  return inspect !== 'stop';
}

const nothing = new Uint8Array(0);

/** Ends a direction once everything is written: until then the socket can still be reset. */
function endWhenWritten(socket: Socket): void {
  if (socket.writableLength === 0) socket.end();
  else socket.write(nothing, () => socket.end());
}

/**
 * A socket that has said its end is not read any more, so that a reset of it would go unnoticed for as long as nothing is
 * written. Writing nothing sends nothing, and fails when it was reset.
 */
function watchEnded(socket: Socket): void {
  const timer = setInterval(() => {
    if (socket.writable && socket.writableLength === 0) socket.write(nothing);
  }, daemonBounds.halfClosedMs);
  socket.once('close', () => clearInterval(timer));
}

function forward(joined: Joined, side: Side, from: Socket, to: Socket): void {
  const write = createWriter(from, to);
  from.on('data', (chunk: Uint8Array) => {
    joined.activeAt = performance.now();
    if (!passes(joined, side, chunk) || !to.writable) return;
    joined.bytes[side] += chunk.length;
    write(chunk);
  });
  to.on('drain', () => {
    joined.activeAt = performance.now();
    from.resume();
  });
  from.on('end', () => {
    if (to.readableEnded && to.writableLength === 0) return void to.destroy(); // both have said all: that is an end too, in one step
    endWhenWritten(to);
    watchEnded(from);
  });
}

/** What `other` still says has nowhere to go, but closing on it would throw away what it has yet to read. */
function linger(other: Socket): void {
  other.resume();
  const timer = setTimeout(() => other.destroy(), daemonBounds.lingerMs);
  other.once('close', () => clearTimeout(timer));
}

/** One side is gone for good. What it said in full still reaches the other; else the other is told that it is not whole. */
function onClose(joined: Joined, gone: Socket, other: Socket, lost: RelayEnd): void {
  joined.open -= 1;
  if (joined.open === 0) joined.hooks.ended(joined.end ?? 'closed');
  else if (gone.readableEnded && !other.readableEnded) linger(other);
  else if (!gone.readableEnded) {
    joined.end ??= lost;
    endSocket(other, 'reset');
  }
}

/** Writes what was peeked, and remembers an end that was seen then. */
function handOver(from: NetConnection, joined: Joined, side: Side, to: Socket): void {
  const pending = from.takePending();
  joined.bytes[side] += pending.length;
  const isTaken = pending.length === 0 || to.write(pending);
  if (from.hasEnded()) {
    endWhenWritten(to);
    watchEnded(from.socket);
  } else if (isTaken) from.socket.resume();
}

export function netRelay(client: NetConnection, upstream: NetConnection, hooks: RelayHooks): Relay {
  const joined: Joined = {
    client: client.socket,
    upstream: upstream.socket,
    hooks,
    bytes: { client: 0, server: 0 },
    inspect: hooks.inspect,
    activeAt: performance.now(),
    end: undefined,
    open: 2,
  };
  const sides = [
    { from: client, to: upstream, side: 'client', lost: 'client_lost' },
    { from: upstream, to: client, side: 'server', lost: 'upstream_lost' },
  ] as const;
  client.socket.setNoDelay(true); // not when it is accepted: most of a flood is refused
  for (const { from, to, side, lost } of sides) {
    forward(joined, side, from.socket, to.socket);
    from.onGone(() => onClose(joined, from.socket, to.socket, lost));
  }
  for (const { from, to, side } of sides) handOver(from, joined, side, to.socket);
  return {
    bytesIn: () => joined.bytes.client,
    bytesOut: () => joined.bytes.server,
    activeAt: () => joined.activeAt,
    stop: (how) => stop(joined, 'stopped', how),
  };
}
