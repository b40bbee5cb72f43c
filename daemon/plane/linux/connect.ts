/** Connects to one address. */
import { closeOnExec, epoll, nonBlocking, option, stream } from '../../process/libc/abi.ts';
import { errno } from '../../process/libc/libc.ts';
import type { ConnectFailure, ConnectOutcome, SocketAddress } from '../plane.ts';
import { LinuxConnection } from './connection.ts';
import { state } from './loop.ts';
import type { Reader } from './reader.ts';
import type { Shared } from './shared.ts';
import { encodeAddress } from './socket-address.ts';

const failures: Readonly<Record<number, ConnectFailure>> = {
  [errno.ECONNREFUSED]: 'refused',
  [errno.ECONNRESET]: 'refused',
  [errno.ETIMEDOUT]: 'timeout',
  [errno.EMFILE]: 'exhausted',
  [errno.ENFILE]: 'exhausted',
  [errno.EADDRNOTAVAIL]: 'exhausted',
  [errno.ENOBUFS]: 'exhausted',
  [errno.ENOMEM]: 'exhausted',
};

const pendingErrors: ReadonlySet<number> = new Set([errno.EINPROGRESS, errno.EALREADY, errno.EINTR]);

/** Whether an address is on the loopback. The text is canonical. */
const isLocal = (address: SocketAddress): boolean =>
  'ip' in address && (address.ip.startsWith('127.') || address.ip === '::1');

type Done = (outcome: ConnectOutcome<LinuxConnection>) => void;

class Attempt implements Reader<LinuxConnection> {
  readonly #shared: Shared;
  readonly #done: Done;
  #connection: LinuxConnection | undefined;
  #isOver = false;

  constructor(shared: Shared, done: Done) {
    this.#shared = shared;
    this.#done = done;
  }

  start(address: SocketAddress): void {
    const { libc, address: block } = this.#shared;
    const encoded = encodeAddress(block, address);
    if (!encoded) return void this.#failLater(-errno.EINVAL);
    const { family, length } = encoded;
    const fd = libc.socket(family, stream | nonBlocking | closeOnExec);
    if (fd < 0) return void this.#failLater(fd);
    const connection = new LinuxConnection(this.#shared, fd);
    if ('path' in address) connection.set(state.unix);
    else {
      connection.set(state.delaying);
      connection.delayAcknowledgments();
    }
    this.#connection = connection;
    const first = libc.connect(fd, block, length);
    // On the loopback, the handshake is complete when connect(2) returns. A second call reports it.
    const isInProgress = first === -errno.EINPROGRESS && isLocal(address);
    const result = isInProgress ? libc.connect(fd, block, length) : first;
    if (result === 0) this.#succeed(connection);
    else if (pendingErrors.has(-result)) connection.attach(this);
    else this.#failLater(result);
  }

  cancel = (): void => {
    this.#isOver = true;
    this.#detachConnection()?.end('close');
  };

  #detachConnection(): LinuxConnection | undefined {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.detach(this);
    return connection;
  }

  #failLater(result: number): void {
    process.nextTick(() => this.#fail(result));
  }

  #fail(result: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#detachConnection()?.end('close');
    const why = failures[-result] ?? 'unreachable';
    if (why === 'exhausted') this.#shared.recordExhaustion();
    this.#done({ ok: false, why });
  }

  onEvents(connection: LinuxConnection, events: number): void {
    const hasFailed = (events & (epoll.error | epoll.hangUp)) !== 0;
    const error = hasFailed ? this.#shared.libc.option(connection.fd, option.error) : 0;
    if (error !== 0) return void this.#fail(-Math.abs(error));
    if ((events & epoll.out) === 0) return;
    this.#succeed(connection);
  }

  #succeed(connection: LinuxConnection): void {
    this.#isOver = true;
    this.#detachConnection();
    this.#done({ ok: true, connection });
  }

  proceed(): void {}

  onClosed(): void {
    this.#connection = undefined;
    this.#fail(-errno.ENOBUFS);
  }
}

/** Connects. Returns a function that cancels the attempt. */
export function connect(shared: Shared, address: SocketAddress, done: Done): () => void {
  const attempt = new Attempt(shared, done);
  attempt.start(address);
  return attempt.cancel;
}
