/**
 * Connects to the upstream of a client. Gives up when the client closes, or ends its direction without sending a byte.
 * Bytes that the client sends meanwhile may be appended to its peeked bytes.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Upstream } from '../../contract/values/endpoint.ts';
import type { Entry } from '../../platform/linked-list.ts';
import type { ConnectFailure, Connection, ConnectOutcome, DataPlane } from '../plane/plane.ts';
import { monotonicMs } from '../time/clock.ts';
import { sharedTimer, type Waiter } from '../time/shared-timer.ts';
import type { Addresses, Resolve } from './resolver.ts';

export type UpstreamOutcome<C extends Connection> =
  | { readonly ok: true; readonly connection: C }
  /** `gone`: the client closed, or ended its direction without sending a byte. */
  | { readonly ok: false; readonly why: ConnectFailure | 'gone' };

export interface Connector<C extends Connection> {
  readonly plane: DataPlane<C>;
  readonly resolve: Resolve;
}

const { connectWatchMs } = daemonBounds;

const doNothing = (): void => {};

/** One attempt. It tries the addresses of the upstream in order, and calls back once, maybe during `start`. */
export class Connecting<C extends Connection> implements Waiter {
  since = 0;
  readonly #connector: Connector<C>;
  readonly #client: Connection;
  readonly #done: (outcome: UpstreamOutcome<C>) => void;
  readonly #upstream: Upstream;
  readonly #grown: () => void;
  #addresses: Addresses = [];
  #triedCount = 0;
  #endsAt = 0;
  /** The entry that starts the watch of the client. Undefined when the watch has started, or never starts. */
  #watchDelay: Entry<Waiter> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #addressTimer: NodeJS.Timeout | undefined;
  #failure: ConnectFailure | undefined;
  #unwatch = doNothing;
  #cancel = doNothing;
  #isOver = false;

  /** `grown`: called when more bytes of the client were peeked. */
  constructor(
    connector: Connector<C>,
    client: Connection,
    upstream: Upstream,
    done: (outcome: UpstreamOutcome<C>) => void,
    grown: () => void,
  ) {
    this.#connector = connector;
    this.#client = client;
    this.#upstream = upstream;
    this.#done = done;
    this.#grown = grown;
  }

  start(timeoutMs: number): void {
    this.since = Math.floor(monotonicMs());
    this.#endsAt = this.since + timeoutMs;
    if (timeoutMs > connectWatchMs) this.#watchDelay = sharedTimer(connectWatchMs).add(this);
    else this.#timer = setTimeout(Connecting.#onTimeout, timeoutMs, this);
    const upstream = this.#upstream;
    if ('path' in upstream) this.#begin([upstream.path]);
    else this.#connector.resolve(upstream.host, (addresses) => this.#begin(addresses));
  }

  abandon(): void {
    this.#finish({ ok: false, why: 'gone' });
  }

  #begin(addresses: Addresses): void {
    this.#addresses = addresses;
    this.#tryAddress();
  }

  #tryAddress(): void {
    if (this.#isOver) return;
    const address = this.#addresses[this.#triedCount];
    if (address === undefined) {
      this.#finish({ ok: false, why: this.#failure ?? 'unreachable' });
      return;
    }
    this.#triedCount += 1;
    const { length: count } = this.#addresses;
    const tried = this.#triedCount;
    if (tried < count) this.#addressTimer = setTimeout(Connecting.#onSlow, this.#addressMs(count - tried), this);
    const upstream = this.#upstream;
    const target = 'path' in upstream ? upstream : { ip: address, port: upstream.port };
    const cancel = this.#connector.plane.connect(target, this.#onOutcome);
    if (this.#triedCount === tried) this.#cancel = cancel; // otherwise the next address was tried during the call
  }

  #addressMs(others: number): number {
    return Math.min(daemonBounds.addressMs, (this.#endsAt - monotonicMs()) / (others + 1));
  }

  #onOutcome = (outcome: ConnectOutcome<C>): void => {
    clearTimeout(this.#addressTimer);
    if (outcome.ok) this.#finish(outcome);
    else this.#tryNext(outcome.why);
  };

  /** Tries the next address. If all fail, the attempt reports the failure of the first one. */
  #tryNext(failure: ConnectFailure): void {
    this.#failure ??= failure;
    this.#tryAddress();
  }

  static #onSlow<C extends Connection>(attempt: Connecting<C>): void {
    attempt.#cancel();
    attempt.#tryNext('timeout');
  }

  static #onTimeout<C extends Connection>(attempt: Connecting<C>): void {
    attempt.#finish({ ok: false, why: 'timeout' });
  }

  onElapsed(): void {
    this.#watchDelay = undefined;
    this.#timer = setTimeout(Connecting.#onTimeout, this.#endsAt - monotonicMs(), this);
    this.#unwatch = this.#client.watch(daemonBounds.firstBytes, () => this.abandon(), this.#grown);
  }

  #finish(outcome: UpstreamOutcome<C>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#watchDelay) sharedTimer(connectWatchMs).remove(this.#watchDelay);
    clearTimeout(this.#timer);
    clearTimeout(this.#addressTimer);
    this.#unwatch();
    if (!outcome.ok) this.#cancel();
    this.#done(outcome);
  }
}
