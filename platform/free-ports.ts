/** Whether a port of this machine is free; and, for tests and benchmarks, ports for programs that cannot choose one. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports (Linux: from 32,768): a port from that range may belong to another connection by the time the
 * program listens on it.
 */
const [lowest, behindHighest] = [16_384, 32_768];

/** No two of a process share a port, though neither listens yet. */
const given = new Set<number>();

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

/** No program listens on it, on any address of this machine. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, behindHighest);
    if (given.has(port)) continue;
    given.add(port);
    if ((await listenError(port)) === undefined) return port;
  }
}

/** All different. */
export const freePorts = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, freePort));
