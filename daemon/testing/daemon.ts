/** For tests: a daemon on free ports, with both ends of a connection through it. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { daemonSchema } from '../../contract/daemon/schema.ts';
import { parseListen } from '../../contract/values/endpoint.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { type DaemonOptions, type RunningDaemon, startDaemon } from '../app/daemon.ts';
import type { AuditEvent } from '../audit/event.ts';
import type { Connection, DataPlane } from '../plane/plane.ts';

export const temporaryFolder = (): string => scratchFolder('tcp-guard-');

/** Starts a server. After the test it is closed with its connections. */
export async function startUpstream(
  t: Pick<TestContext, 'after'>,
  serve: (socket: Socket) => void,
  host = '127.0.0.1',
): Promise<{ port: number; server: Server; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as { port: number }).port, server, sockets };
}

export const echo = (socket: Socket): void => void socket.pipe(socket);

type Service = NonNullable<DaemonFile['services']>[string];

export interface Started {
  readonly daemon: RunningDaemon;
  readonly folder: string;
  readonly events: AuditEvent[];
  /** Resolves with the first matching event, past or future. */
  readonly event: (wanted: (event: AuditEvent) => boolean) => Promise<AuditEvent>;
  readonly dial: (service: string, options?: Partial<NetConnectOpts>) => Socket;
  readonly auditLines: () => Record<string, unknown>[];
}

/** The configuration with its defaults. */
export const configuration = (file: DaemonFile) => daemonSchema().parse(file);

/** The data plane of tests that do not choose one. The job `linux-plane` runs all of them on the Linux plane. */
const testPlane = (process.env.TEST_DATA_PLANE ?? 'net') as 'net' | 'linux';

/** A configuration whose `never_ban` is empty unless the file sets it: test clients use loopback addresses. */
export function testFile(folder: string, file: DaemonFile): DaemonFile {
  const global: DaemonFile['global'] = {
    log_file: join(folder, 'audit.jsonl'),
    data_dir: folder,
    log_level: 'debug',
    never_ban: [],
    max_connections: 1000,
    data_plane: testPlane,
  };
  const bans: DaemonFile['bans'] = { kernel: 'off', ...file.bans };
  return { version: 1, api: { listen: '' }, ...file, bans, global: { ...global, ...file.global } };
}

/** A service that listens on 127.0.0.1, unless `service` sets another address. */
export const guardedService = (port: number, service: Partial<Service> = {}): Service => ({
  listen: '127.0.0.1:0',
  upstream: `127.0.0.1:${port}`,
  ...service,
});

/** `plane`: replaces the plane of the configuration. */
export async function start<C extends Connection>(
  t: Pick<TestContext, 'after'>,
  file: DaemonFile,
  options: Partial<DaemonOptions> & { readonly plane?: DataPlane<C> } = {},
): Promise<Started> {
  const folder = options.folder ?? temporaryFolder();
  const config = configuration(testFile(folder, file));
  const place = () => ({ line: 1, column: 1 });
  const read = () => ({ ok: true, name: 'test', value: config, file, place, warnings: [] }) as const;
  const daemon = await startDaemon(config, { read, folder, ...options }, options.plane);
  t.after(() => daemon.close(0));
  return {
    daemon,
    folder,
    ...followAudit(daemon),
    ...dialer(daemon),
    auditLines: () => linesOf(join(folder, 'audit.jsonl')),
  };
}

function followAudit({ audit }: RunningDaemon): Pick<Started, 'events' | 'event'> {
  const events: AuditEvent[] = [];
  const waiting = new Set<() => void>();
  audit.follow((event) => {
    events.push(event);
    for (const look of waiting) look();
  });
  const event = (wanted: (event: AuditEvent) => boolean) =>
    new Promise<AuditEvent>((resolve) => {
      const look = () => {
        const found = events.find(wanted);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { events, event };
}

function dialer(daemon: RunningDaemon): Pick<Started, 'dial'> {
  const portOf = (service: string) => {
    const listen = daemon.services().find(({ name }) => name === service)?.listen ?? '';
    return parseListen(listen)?.port as number;
  };
  const dial: Started['dial'] = (service, options = {}) => {
    const socket = connect({
      host: '127.0.0.1',
      port: portOf(service),
      allowHalfOpen: true,
      ...options,
    } as NetConnectOpts);
    return socket.on('error', () => {});
  };
  return { dial };
}

export { received } from '../plane/testing/sockets.ts';

/** The complete lines of a file. The last line is left out, because it may be incomplete. */
const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** Returns whether a server responds to bytes of a new connection. Closes it. */
export async function isServed(socket: Socket, bytes: string): Promise<boolean> {
  socket.on('error', () => {}).write(bytes);
  const served = await Promise.race([
    once(socket, 'data').then(() => true),
    once(socket, 'end').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return served;
}

/** Resolves with the next bytes, at least `length`. */
export function bytesOf(socket: Socket, length: number): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length < length) return;
      socket.off('data', onData);
      resolve(bytes);
    };
    socket.on('data', onData);
  });
}
