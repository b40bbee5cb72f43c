/**
 * Connects to the upstream of a client. Gives up when the client closes, or finishes sending before its first byte:
 * otherwise a hanging upstream would use up descriptors. Bytes that the client sends meanwhile may be appended to its
 * peeked ones.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Upstream } from '../../contract/values/endpoint.ts';
import type { Entry } from '../../platform/linked-list.ts';
import type { ConnectFailure, Connection, ConnectOutcome, DataPlane } from '../plane/plane.ts';
import { sharedTimer, type Waiter } from '../time/shared-timer.ts';
import type { Addresses, Resolve } from './resolver.ts';

export type UpstreamOutcome<C extends Connection> =
  | { readonly ok: true; readonly connection: C }
  /** `gone`: the client closed. */
  | { readonly ok: false; readonly why: ConnectFailure | 'gone' };

export interface Connector<C extends Connection> {
  readonly plane: DataPlane<C>;
  readonly resolve: Resolve;
}

const { connectWatchMs } = daemonBounds;

const nothing = (): void => {};

/** One attempt. It tries the addresses of the upstream in order, and calls back once, maybe during `start`. */
export class Connecting<C extends Connection> implements Waiter {
  since = 0;
  readonly #connector: Connector<C>;
  readonly #client: Connection;
  readonly #done: (outcome: UpstreamOutcome<C>) => void;
  readonly #upstream: Upstream;
  /** IP addresses, or the path of a Unix socket. */
  #addresses: Addresses = [];
  #tried = 0;
  #until = 0;
  /**
   * The entry in the shared timer after which the client is watched. Undefined when the client is already watched, or
   * the attempt is too short for that.
   */
  #unwatched: Entry<Waiter> | undefined;
  /** The time limit of the attempt. */
  #timer: NodeJS.Timeout | undefined;
  /** The time limit for one of several addresses. */
  #patience: NodeJS.Timeout | undefined;
  #failure: ConnectFailure | undefined;
  #unwatch = nothing;
  #cancel = nothing;
  #isOver = false;

  constructor(
    connector: Connector<C>,
    client: Connection,
    upstream: Upstream,
    done: (outcome: UpstreamOutcome<C>) => void,
  ) {
    this.#connector = connector;
    this.#client = client;
    this.#upstream = upstream;
    this.#done = done;
  }

  start(timeoutMs: number): void {
    this.since = Math.floor(performance.now());
    this.#until = this.since + timeoutMs;
    if (timeoutMs > connectWatchMs) this.#unwatched = sharedTimer(connectWatchMs).add(this);
    else this.#timer = setTimeout(Connecting.#onTimeout, timeoutMs, this);
    const upstream = this.#upstream;
    if ('path' in upstream) this.#begin([upstream.path]);
    else this.#connector.resolve(upstream.host, (addresses) => this.#begin(addresses));
  }

  /** Gives up because the client has closed. */
  abandon(): void {
    this.#give({ ok: false, why: 'gone' });
  }

  #begin(addresses: Addresses): void {
    this.#addresses = addresses;
    this.#try();
  }

  #try(): void {
    if (this.#isOver) return;
    const address = this.#addresses[this.#tried];
    if (address === undefined) {
      this.#give({ ok: false, why: this.#failure ?? 'unreachable' });
      return;
    }
    this.#tried += 1;
    const { length: count } = this.#addresses;
    const tried = this.#tried;
    if (tried < count) this.#patience = setTimeout(Connecting.#onSlow, this.#share(count - tried), this);
    const upstream = this.#upstream;
    const target = 'path' in upstream ? upstream : { ip: address, port: upstream.port };
    const cancel = this.#connector.plane.connect(target, this.#onOutcome);
    if (this.#tried === tried) this.#cancel = cancel; // connect has not called back yet
  }

  /** The time for one address when this number of others is left. */
  #share(others: number): number {
    return Math.min(daemonBounds.addressMs, (this.#until - performance.now()) / (others + 1));
  }

  #onOutcome = (outcome: ConnectOutcome<C>): void => {
    clearTimeout(this.#patience);
    if (outcome.ok) this.#give(outcome);
    else this.#tryNext(outcome.why);
  };

  /** Tries the next address. If all fail, the attempt reports the failure of the first one. */
  #tryNext(failure: ConnectFailure): void {
    this.#failure ??= failure;
    this.#try();
  }

  static #onSlow<C extends Connection>(attempt: Connecting<C>): void {
    attempt.#cancel();
    attempt.#tryNext('timeout');
  }

  static #onTimeout<C extends Connection>(attempt: Connecting<C>): void {
    attempt.#give({ ok: false, why: 'timeout' });
  }

  /** Called by the shared timer: watches the client from now on. */
  over(): void {
    this.#unwatched = undefined;
    this.#timer = setTimeout(Connecting.#onTimeout, this.#until - performance.now(), this);
    this.#unwatch = this.#client.watch(daemonBounds.firstBytes, () => this.abandon());
  }

  #give(outcome: UpstreamOutcome<C>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#unwatched) sharedTimer(connectWatchMs).remove(this.#unwatched);
    clearTimeout(this.#timer);
    clearTimeout(this.#patience);
    this.#unwatch();
    if (!outcome.ok) this.#cancel();
    this.#done(outcome);
  }
}
