import type { Libc } from '../../process/libc/libc.ts';
import { openLibc } from '../../process/libc/open.ts';
import type { DataPlane, PlaneOptions } from '../plane.ts';
import { keepHeapSmall, keepYoungSpace, preferFastCalls, tuneCollector } from '../v8-flags.ts';
import { connect } from './connect.ts';
import type { LinuxConnection } from './connection.ts';
import { listen, listenNow } from './listener.ts';
import { LinuxRelay } from './relay.ts';
import { Shared } from './shared.ts';

/** @throws Error when the system refuses an epoll descriptor */
export function createLinuxPlane(
  libc: Libc,
  { isWorker }: PlaneOptions = { isWorker: false },
): DataPlane<LinuxConnection> {
  preferFastCalls();
  keepYoungSpace();
  keepHeapSmall();
  const shared = new Shared(libc);
  return {
    listen: (endpoint, handlers) => {
      tuneCollector();
      return listen(shared, endpoint, handlers, isWorker);
    },
    listenNow: (endpoint, handlers) => {
      tuneCollector();
      return listenNow(shared, endpoint, handlers);
    },
    connect: (address, done) => connect(shared, address, done),
    relay: (client, upstream, hooks) => new LinuxRelay(client, upstream, hooks).start(),
    counters: () => {
      const { accepted, openConnections: open, acceptFaults, exhaustedAt } = shared;
      return { accepted, open, acceptFaults, exhaustedAt };
    },
  };
}

/** @throws Error when this process cannot call libc */
export function openLinuxPlane(options?: PlaneOptions): DataPlane<LinuxConnection> {
  const opened = openLibc();
  if ('missing' in opened) throw new Error(opened.missing);
  return createLinuxPlane(opened.libc, options);
}
