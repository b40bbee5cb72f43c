/** Relays between two sockets with back-pressure in both directions. Each direction ends separately. */
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
  /** How many of the next bytes of each side pass without inspection. */
  readonly unseen: Record<Side, number>;
  activeAt: number;
  /** Set by the side that ends first. */
  end: RelayEnd | undefined;
  open: number;
}

const nothing = new Uint8Array(0);

function stop(joined: Joined, end: RelayEnd, client: Ending): void {
  joined.end ??= end;
  const isWhole = joined.client.writableLength === 0;
  endSocket(joined.client, isWhole ? client : 'reset');
  endSocket(joined.upstream, 'reset');
}

/** Returns the bytes that pass. On `stop`, ends the relay unless the inspection has ended it. */
function inspected(joined: Joined, side: Side, chunk: Uint8Array): Uint8Array {
  const { unseen, hooks } = joined;
  const passed = unseen[side];
  if (passed >= chunk.length) {
    unseen[side] = passed - chunk.length;
    return chunk;
  }
  const verdict = hooks.inspect?.(side, passed === 0 ? chunk : chunk.subarray(passed)) ?? Number.POSITIVE_INFINITY;
  if (verdict === 'stop') {
    stop(joined, 'stopped', 'close');
    return nothing;
  }
  unseen[side] = typeof verdict === 'number' ? verdict : 0;
  if (typeof verdict === 'number') return chunk;
  return passed === 0 ? verdict.instead : Buffer.concat([chunk.subarray(0, passed), verdict.instead]);
}

/** Ends a direction after everything is written: until then the socket can be reset. */
function endWhenWritten(socket: Socket): void {
  if (socket.writableLength === 0) socket.end();
  else socket.write(nothing, () => socket.end());
}

/**
 * A half-closed socket is not read any more, so a reset would go unnoticed while nothing is written. An empty write sends
 * nothing, and fails after a reset.
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
    const bytes = inspected(joined, side, chunk);
    if (bytes.length === 0 || !to.writable) return;
    joined.bytes[side] += bytes.length;
    write(bytes);
  });
  to.on('drain', () => {
    joined.activeAt = performance.now();
    from.resume();
  });
  from.on('end', () => {
    if (to.readableEnded && to.writableLength === 0) return void to.destroy(); // both directions have ended
    endWhenWritten(to);
    watchEnded(from);
  });
}

/** Discards what `other` still sends. Closing it would discard what it has not read yet. */
function linger(other: Socket): void {
  other.resume();
  const timer = setTimeout(() => other.destroy(), daemonBounds.lingerMs);
  other.once('close', () => clearTimeout(timer));
}

/** One side has closed. Its complete data still reaches the other side; otherwise the other side is reset. */
function onClose(joined: Joined, gone: Socket, other: Socket, lost: RelayEnd): void {
  joined.open -= 1;
  if (joined.open === 0) joined.hooks.ended(joined.end ?? 'closed');
  else if (gone.readableEnded && !other.readableEnded) linger(other);
  else if (!gone.readableEnded) {
    joined.end ??= lost;
    endSocket(other, 'reset');
  }
}

/** Writes the peeked bytes, and forwards an end that arrived with them. */
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
    unseen: { client: 0, server: 0 },
    activeAt: performance.now(),
    end: undefined,
    open: 2,
  };
  const sides = [
    { from: client, to: upstream, side: 'client', lost: 'client_lost' },
    { from: upstream, to: client, side: 'server', lost: 'upstream_lost' },
  ] as const;
  client.socket.setNoDelay(true); // not at accept: most connections of a flood are refused
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
