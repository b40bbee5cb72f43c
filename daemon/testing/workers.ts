/** For tests: a daemon with two workers, and clients that reach both. */
import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { isEchoed, startChangeable } from './changeable.ts';
import { type Started, start } from './daemon.ts';

/** The source address of clients. 127.0.0.1 would be exempt, because it is an address of this host. */
export const client = '127.0.0.7';
/**
 * A number of connections of which each worker almost certainly gets some. The system distributes connections by a hash
 * of their source port.
 */
export const enoughConnections = 48;

const withWorkers = (file: DaemonFile): DaemonFile => ({ ...file, global: { workers: 2, ...file.global } });

export const startWorkers = (t: TestContext, file: DaemonFile, options: Parameters<typeof start>[2] = {}) =>
  start(t, withWorkers(file), options);

/** Starts a daemon with workers. The test can change its configuration. */
export async function changeableWorkers(t: TestContext, first: DaemonFile) {
  const { write, ...started } = await startChangeable(t, withWorkers(first));
  return { ...started, write: (file: DaemonFile) => write(withWorkers(file)) };
}

export const dialMany = ({ dial }: Pick<Started, 'dial'>, service = 'one', count = enoughConnections): Socket[] =>
  Array.from({ length: count }, () => dial(service, { localAddress: client }));

export async function countEchoed(sockets: readonly Socket[]): Promise<number> {
  return (await Promise.all(sockets.map(isEchoed))).filter(Boolean).length;
}
