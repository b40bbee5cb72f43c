/** Whether a port of this machine is free; and, for tests and benchmarks, ports for programs that cannot choose one. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports (Linux: from 32,768): a port from that range may belong to another connection by the time the
 * program listens on it.
 */
const [lowest, behindHighest] = [16_384, 32_768];

/** Listens for a moment. Returns the system error code of a failure; undefined: the port is free. */
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

/** The ports of this process. */
const reserved = new Set<number>();

/**
 * Keeps a port for a program that does not listen yet. Returns false where this process or, on Linux, another one has it.
 * The name of the socket is free again when the process ends, however it ends.
 */
export async function reserve(port: number): Promise<boolean> {
  if (reserved.has(port)) return false;
  reserved.add(port);
  if (process.platform !== 'linux') return true;
  try {
    await once(createServer().unref().listen(`\0request-guard-port-${port}`), 'listening');
    return true;
  } catch {
    return false;
  }
}

/** No program listens on it, on any address of this machine, and no other test gets it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, behindHighest);
    if ((await reserve(port)) && (await listenError(port)) === undefined) return port;
  }
}

/** The first of `length` ports in a row. */
export async function freeRow(length: number): Promise<number> {
  for (;;) {
    const first = randomInt(lowest, behindHighest - length);
    const row = Array.from({ length }, (_, index) => first + index);
    const isReserved = (await Promise.all(row.map(reserve))).every(Boolean);
    const errors = isReserved ? await Promise.all(row.map((port) => listenError(port))) : ['reserved'];
    if (errors.every((error) => error === undefined)) return first;
  }
}

/** All different. */
export const freePorts = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, freePort));
