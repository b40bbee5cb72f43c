/**
 * Limits the connections of a listener. When it is full, a new connection replaces the one that has been idle longest.
 * When every connection has a request, a few more are accepted for health checks only.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ApiBounds } from './bounds.ts';

/** Whether only health checks are served on a connection. */
export type IsReserved = (socket: Socket) => boolean;

export function limitConnections(server: Server, { apiConnections, apiReserved }: ApiBounds): IsReserved {
  /** Idle connections, in the order of their last response or arrival. */
  const waiting = new Set<Socket>();
  /** The number of requests in progress, by connection. */
  const busy = new Map<Socket, number>();
  const reserved = new WeakSet<Socket>();

  const makeRoom = (socket: Socket): boolean => {
    const open = waiting.size + busy.size;
    if (open < apiConnections) return true;
    const [longest] = waiting;
    if (longest) {
      waiting.delete(longest);
      longest.destroy();
    }
    if (busy.size >= apiConnections) reserved.add(socket);
    return longest !== undefined || open < apiConnections + apiReserved;
  };
  const finish = (socket: Socket) => {
    const left = (busy.get(socket) ?? 0) - 1;
    if (left > 0) busy.set(socket, left);
    else if (busy.delete(socket) && !socket.destroyed) waiting.add(socket);
  };
  server.on('connection', (socket: Socket) => {
    if (!makeRoom(socket)) return void socket.destroy();
    waiting.add(socket);
    socket.once('close', () => {
      waiting.delete(socket);
      busy.delete(socket);
    });
  });
  server.on('request', ({ socket }, response) => {
    waiting.delete(socket);
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.once('close', () => finish(socket));
  });
  return (socket) => reserved.has(socket);
}
