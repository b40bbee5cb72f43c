/** A raw connection whose end and bytes can be waited for. */
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as secureOver, type TLSSocket } from 'node:tls';

export class Client {
  #socket: Socket;
  #chunks: Buffer[] = [];
  #length = 0;
  #isEnded = false;
  #waiting = new Set<() => void>();
  #patienceMs: number;

  /** Past `patienceMs` a reply that is due counts as missing. */
  constructor(port: number, first: Buffer, patienceMs: number) {
    this.#patienceMs = patienceMs;
    this.#socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    this.#socket.write(first);
    this.#listen();
  }

  #listen(): void {
    this.#socket.on('data', (chunk) => {
      this.#chunks.push(Buffer.from(chunk));
      this.#length += chunk.length;
      this.#wake();
    });
    for (const event of ['end', 'close', 'error'] as const)
      this.#socket.on(event, () => {
        this.#isEnded = true;
        this.#wake();
      });
  }

  /** Makes a handshake and goes on behind it; what is wrong with that, nothing: it is made. */
  async secure(options: ConnectionOptions): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const secure: TLSSocket = secureOver({ ...options, socket: this.#socket, rejectUnauthorized: false }, () =>
      resolve(undefined),
    );
    secure.on('error', ({ message }) => resolve(message)).on('close', () => resolve('the connection was closed'));
    const late = setTimeout(() => resolve('no end of the handshake came'), this.#patienceMs);
    this.#socket = secure;
    this.#chunks = [];
    this.#length = 0;
    this.#listen();
    const problem = await promise;
    clearTimeout(late);
    return problem;
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Waits until it is so; false: it did not become so, and cannot or took too long. */
  async #until(isSo: () => boolean, timeoutMs = this.#patienceMs): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => {
      if (isSo() || this.#isEnded) resolve();
    };
    const timer = setTimeout(resolve, timeoutMs);
    this.#waiting.add(check);
    check();
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(check);
    return isSo();
  }

  send(bytes: Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }

  /** Ends our side; the other one may go on. */
  finish(): void {
    this.#socket.end();
  }

  /** Everything that came so far. */
  received(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Whether this many bytes came, in all. */
  has(length: number): Promise<boolean> {
    return this.#until(() => this.#length >= length);
  }

  /** Whether the other side ended it. */
  ends(): Promise<boolean> {
    return this.#until(() => this.#isEnded);
  }

  close(): void {
    this.#socket.destroy();
  }
}
