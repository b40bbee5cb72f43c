/** A raw connection whose bytes and end can be awaited. */
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as secureOver, type TLSSocket } from 'node:tls';

export class Client {
  #socket: Socket;
  #chunks: Buffer[] = [];
  #length = 0;
  #isEnded = false;
  #waiting = new Set<() => void>();
  #patienceMs: number;

  /** @param patienceMs a reply that takes longer counts as missing */
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

  /** Completes a TLS handshake and continues inside it. Returns the error of a failed handshake. */
  async secure(options: ConnectionOptions): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const secure: TLSSocket = secureOver({ ...options, socket: this.#socket, rejectUnauthorized: false }, () =>
      resolve(undefined),
    );
    secure.on('error', ({ message }) => resolve(message)).on('close', () => resolve('the connection was closed'));
    const timeout = setTimeout(() => resolve('the handshake did not complete'), this.#patienceMs);
    this.#socket = secure;
    this.#chunks = [];
    this.#length = 0;
    this.#listen();
    const problem = await promise;
    clearTimeout(timeout);
    return problem;
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Waits for a condition. Resolves to false when the connection ends first, or at the time limit. */
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

  /** Ends this side of the connection. The other side may continue to send. */
  finish(): void {
    this.#socket.end();
  }

  received(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /**
   * Resolves to true when this many bytes have arrived in total, to false when the connection ends first or at the time
   * limit.
   */
  has(length: number): Promise<boolean> {
    return this.#until(() => this.#length >= length);
  }

  /** Resolves to true when the other side ends the connection, to false at the time limit. */
  ends(): Promise<boolean> {
    return this.#until(() => this.#isEnded);
  }

  close(): void {
    this.#socket.destroy();
  }
}
