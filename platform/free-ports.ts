/** For tests and benchmarks: ports for programs that cannot choose a free one themselves. */
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

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen({ port, exclusive: true }), 'listening');
    await once(server.close(), 'close');
    return true;
  } catch {
    return false;
  }
}

/** No program listens on it, on any address of this machine. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, behindHighest);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

/** All different. */
export const freePorts = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, freePort));
