/** A listening socket. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Endpoint } from '../../../contract/values/endpoint.ts';
import {
  closeOnExec,
  epoll,
  family as families,
  fcntlCommands,
  nonBlocking,
  option,
  shutdownRead,
  stream,
} from '../../process/libc/abi.ts';
import { Descriptor } from '../../process/libc/descriptor.ts';
import { callError, errno, succeeded } from '../../process/libc/libc.ts';
import type { Listener, ListenHandlers } from '../plane.ts';
import { LinuxConnection } from './connection.ts';
import { Watched } from './loop.ts';
import type { Shared } from './shared.ts';
import { decodeAddress, encodeAddress } from './socket-address.ts';

const acceptsPerTurn = 64;
const pauseMs = 100;

/** An interruption, and errors of one queued connection that has ended (accept(2)). Accepting continues immediately. */
const transientErrors: ReadonlySet<number> = new Set([
  errno.ECONNABORTED,
  errno.EINTR,
  errno.EPROTO,
  errno.ENETDOWN,
  errno.ENETUNREACH,
  errno.EHOSTUNREACH,
  errno.ENOPROTOOPT,
  errno.EOPNOTSUPP,
]);

class LinuxListener extends Watched {
  readonly #shared: Shared;
  readonly #handlers: ListenHandlers<LinuxConnection>;
  /**
   * A spare descriptor. When the process has no free descriptor, the listener closes the spare one, and can then accept
   * and refuse a queued connection.
   */
  #spareDescriptor: Descriptor;
  #pause: NodeJS.Timeout | undefined;
  readonly #closed = Promise.withResolvers<void>();

  constructor(shared: Shared, fd: number, handlers: ListenHandlers<LinuxConnection>) {
    super(fd);
    this.#shared = shared;
    this.#handlers = handlers;
    this.#spareDescriptor = this.#newSpare();
    shared.loop.holdProcess();
  }

  #newSpare(): Descriptor {
    return new Descriptor(this.#shared.libc.epollCreate(closeOnExec));
  }

  end(): Promise<void> {
    if (!this.isClosed) this.#shared.loop.close(this);
    return this.#closed.promise;
  }

  onEvents(): void {
    this.proceed();
  }

  proceed(): void {
    if (this.#pause) return;
    for (let budget = acceptsPerTurn; !this.isClosing; budget -= 1) {
      if (budget === 0) return void this.#shared.loop.queue(this);
      const fd = this.#accept();
      if (fd === -errno.EAGAIN) return;
      if (fd >= 0) this.#deliver(fd);
      else if (!transientErrors.has(-fd)) return void this.#onAcceptError(fd);
    }
  }

  onClosed(): void {
    clearTimeout(this.#pause);
    this.#spareDescriptor.close(this.#shared.libc);
    this.#closed.resolve();
  }

  #accept(): number {
    return this.#shared.libc.accept(this.fd, this.#shared.address, nonBlocking | closeOnExec);
  }

  /** Calls the handler. The system returns the address even when the client has already reset the connection. */
  #deliver(fd: number): void {
    this.#shared.accepted += 1;
    const remote = decodeAddress(this.#shared.address);
    this.#handlers.accept(new LinuxConnection(this.#shared, fd, remote));
  }

  #onAcceptError(result: number): void {
    this.#shared.acceptFaults += 1;
    this.#shared.recordExhaustion();
    this.#refuseOne();
    this.#handlers.fault(callError('accept', result).message);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.proceed();
    }, pauseMs);
  }

  /** Refuses a queued connection. Otherwise its client would wait in vain. */
  #refuseOne(): void {
    const { libc } = this.#shared;
    this.#spareDescriptor.close(libc);
    const fd = this.#accept();
    if (fd >= 0) {
      libc.setOption(fd, option.linger, 1, 0);
      libc.close(fd);
    }
    this.#spareDescriptor = this.#newSpare();
  }
}

function listenError(result: number, host: string, port: number): Error {
  const error = callError('listen', result);
  const where = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  error.message = `listen ${error.code}: ${error.message.replace(/^listen: /, '')} ${where}`;
  return error;
}

/** @throws Error with a `code` when the address cannot be bound */
function bind({ libc, address }: Shared, ip: string, port: number, reusePort: boolean): number {
  const encoded = encodeAddress(address, { ip, port });
  if (!encoded) throw listenError(-errno.EINVAL, ip, port);
  const { family, length } = encoded;
  const fd = libc.socket(family, stream | nonBlocking | closeOnExec);
  if (fd < 0) throw listenError(fd, ip, port);
  libc.setOption(fd, option.reuseAddress, 1);
  if (reusePort) libc.setOption(fd, option.reusePort, 1);
  if (family === families.ipv6) libc.setOption(fd, option.ipv6Only, 0);
  const bound = libc.bind(fd, address, length);
  const result = bound < 0 ? bound : libc.listen(fd, daemonBounds.acceptQueue);
  if (result === 0) return fd;
  libc.close(fd);
  throw listenError(result, ip, port);
}

/** Binds all addresses of the machine, like node:net: IPv6 including IPv4, or only IPv4 on a machine without IPv6. */
function bindAny(shared: Shared, port: number, reusePort: boolean): number {
  try {
    return bind(shared, '::', port, reusePort);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw error;
    return bind(shared, '0.0.0.0', port, reusePort);
  }
}

async function openListener(shared: Shared, { host, port }: Endpoint, reusePort: boolean): Promise<number> {
  if (host === '') return bindAny(shared, port, reusePort);
  const ip = isIP(host) ? host : (await lookup(host)).address;
  return bind(shared, ip, port, reusePort);
}

function adoptDescriptor({ libc }: Shared, fd: number): number {
  succeeded('fcntl', libc.fcntl(fd, fcntlCommands.setStatus, nonBlocking));
  succeeded('fcntl', libc.fcntl(fd, fcntlCommands.setCloseOnExec, 1));
  return fd;
}

/** Starts to accept. Closes the descriptor when the system refuses. @throws Error with a `code` */
function startAccepting(
  shared: Shared,
  fd: number,
  handlers: ListenHandlers<LinuxConnection>,
): { readonly listener: LinuxListener; readonly port: number } {
  const listener = new LinuxListener(shared, fd, handlers);
  shared.libc.setOption(fd, option.noDelay, 1); // accepted sockets inherit it
  shared.libc.localAddress(fd, shared.address);
  const { port } = decodeAddress(shared.address);
  const failed = shared.loop.add(listener, epoll.in);
  if (failed === 0) return { listener, port };
  void listener.end();
  throw callError('epoll_ctl', failed);
}

export async function listen(
  shared: Shared,
  endpoint: Endpoint,
  handlers: ListenHandlers<LinuxConnection>,
  reusePort: boolean,
): Promise<Listener> {
  const { descriptor } = handlers;
  const fd =
    descriptor === undefined ? await openListener(shared, endpoint, reusePort) : adoptDescriptor(shared, descriptor);
  const { listener, port } = startAccepting(shared, fd, handlers);
  if (endpoint.port === 0 || endpoint.port === port)
    return { endpoint: { host: endpoint.host, port }, close: () => listener.end() };
  await listener.end();
  throw new Error(`the socket of the service manager listens on port ${port}`);
}

/** Listens before it returns. @throws Error with a `code` when the endpoint cannot be bound */
export function listenNow(
  shared: Shared,
  { host, port }: Endpoint,
  handlers: ListenHandlers<LinuxConnection>,
): Listener {
  const fd = bind(shared, host, port, false);
  const { listener, port: actualPort } = startAccepting(shared, fd, handlers);
  const close = () => {
    shared.libc.shutdown(fd, shutdownRead); // frees the port now: descriptors are closed at the end of a turn
    return listener.end();
  };
  return { endpoint: { host, port: actualPort }, close };
}
