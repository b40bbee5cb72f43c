/** Waits for the first bytes of a connection. */
import type { Peeked, PeekOptions } from '../plane.ts';
import type { Peekable, Reader } from './reader.ts';

export class Peek implements Reader<Peekable> {
  readonly #connection: Peekable;
  readonly #limit: number;
  readonly #isEnough: PeekOptions['isEnough'];
  readonly #done: (peeked: Peeked) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(connection: Peekable, limit: number, isEnough: PeekOptions['isEnough'], done: (peeked: Peeked) => void) {
    this.#connection = connection;
    this.#limit = limit;
    this.#isEnough = isEnough;
    this.#done = done;
  }

  start(timeoutMs?: number): void {
    const connection = this.#connection;
    const why = connection.isClosing ? 'lost' : this.#verdict(0);
    if (why) return void this.#done({ bytes: connection.peeked(), why });
    if (timeoutMs !== undefined) this.#timer = setTimeout(Peek.#onTimeout, timeoutMs, this);
    connection.attach(this);
    if (connection.isReadable) connection.shared.loop.queue(connection);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#connection.detach(this);
  }

  static #onTimeout(peek: Peek): void {
    peek.#settle('timeout');
  }

  #settle(why: Peeked['why']): void {
    this.stop();
    this.#done({ bytes: this.#connection.peeked(), why });
  }

  /** `checkedLength`: the number of bytes that were not enough before. */
  #verdict(checkedLength: number): Peeked['why'] | undefined {
    const connection = this.#connection;
    const bytes = connection.peeked();
    if (bytes.length > 0 && this.#isEnough(bytes, checkedLength)) return 'enough';
    if (bytes.length >= this.#limit) return 'full';
    return connection.hasEnded ? 'ended' : undefined;
  }

  onEvents(connection: Peekable, events: number): void {
    connection.flushAfter(events);
    if (connection.isReadable) this.proceed(connection);
  }

  proceed(connection: Peekable): void {
    while (connection.isReadable) {
      const checkedLength = connection.peeked().length;
      const count = connection.gather(this.#limit);
      if (count < 0) {
        if (connection.isReadable) connection.end('reset'); // the close then settles the peek as lost
        return;
      }
      const why = this.#verdict(checkedLength);
      if (why) return void this.#settle(why);
    }
  }

  onClosed(): void {
    this.#settle('lost');
  }
}
