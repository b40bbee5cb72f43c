/** Checks and reserves ports of this machine. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Range below the ephemeral ports. A connection could occupy an ephemeral port before the program listens. */
const [lowest, behindHighest] = [16_384, 32_768];

/** Listens for a moment. Returns the system error code of a failure, or undefined when the port is free. */
export async function listenError(port: number, host?: string): Promise<string | undefined> {
  const server = createServer();
  try {
    await once(server.listen({ host, port, exclusive: true }), 'listening');
    await once(server.close(), 'close');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

const reservedPorts = new Set<number>();

/**
 * Reserves a port for a program that does not listen yet. Returns false when the port is already reserved. On Linux the
 * reservation is the name of a socket, which excludes other processes. The system frees the name when the process ends.
 */
export async function reservePort(port: number): Promise<boolean> {
  if (reservedPorts.has(port)) return false;
  reservedPorts.add(port);
  if (process.platform !== 'linux') return true;
  try {
    await once(createServer().unref().listen(`\0request-guard-port-${port}`), 'listening');
    return true;
  } catch {
    return false;
  }
}

/** Reserves and returns a port on which no program listens, at any address. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, behindHighest);
    if ((await reservePort(port)) && (await listenError(port)) === undefined) return port;
  }
}

/** Reserves `length` free ports in a row. Returns the first of them. */
export async function freeRow(length: number): Promise<number> {
  for (;;) {
    const first = randomInt(lowest, behindHighest - length);
    const row = Array.from({ length }, (_, index) => first + index);
    const isReserved = (await Promise.all(row.map(reservePort))).every(Boolean);
    const errors = isReserved ? await Promise.all(row.map((port) => listenError(port))) : ['reserved'];
    if (errors.every((error) => error === undefined)) return first;
  }
}

export const freePorts = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, freePort));
