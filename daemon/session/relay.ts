/** A relay with idle and total time limits. */

import type { Entry } from '../../platform/linked-list.ts';
import type { Connection, DataPlane, Ending, Relay, RelayEnd, RelayHooks } from '../plane/plane.ts';
import { monotonicMs } from '../time/clock.ts';
import { type SharedTimer, sharedTimer, type Waiter } from '../time/shared-timer.ts';
import { after } from '../time/timer.ts';
import type { StalledAccount, StalledBytes } from './stalled-bytes.ts';

interface RelayLimits {
  /** The longest time without a byte in either direction, milliseconds: at most a week. */
  readonly idleMs: number;
  /** The longest time of the whole relay, milliseconds. 0: no limit. */
  readonly totalMs: number;
}

export interface RelayResult {
  /** `closed`, `client_lost`, `upstream_lost`, `idle_timeout`, `total_timeout`, or the reason of a cut. */
  readonly reason: string;
}

export interface RelayRequest<C extends Connection> {
  readonly client: C;
  readonly upstream: C;
  readonly limits: RelayLimits;
  readonly inspect: RelayHooks['inspect'];
  readonly passedBytes?: number;
  /** When the client was last active on another connection that belongs to this one. Undefined without another one. */
  readonly activeElsewhereAt: (() => number) | undefined;
  readonly stalledBytes: StalledBytes;
  readonly owner: RelayOwner;
}

export interface RelayOwner {
  /** Called when the connection has to end, because relays keep too many bytes. */
  readonly cut: (reason: string) => void;
  readonly ended: (result: RelayResult) => void;
}

/**
 * All relays with the same idle time share one timer. A relay gets a separate timer only when it has a total limit, or
 * when it was active within the idle time before the shared timer fired.
 */
export class LimitedRelay<C extends Connection> implements RelayHooks, Waiter {
  readonly since = Math.floor(monotonicMs());
  readonly inspect: RelayHooks['inspect'];
  readonly passedBytes: number | undefined;
  readonly #relay: Relay;
  readonly #activeElsewhereAt: RelayRequest<C>['activeElsewhereAt'];
  readonly #owner: RelayOwner;
  readonly #stalledBytes: StalledBytes;
  /** Opened with the first byte that waits: most relays never keep any. */
  #stalled: StalledAccount | undefined;
  readonly #cancelTotal: (() => void) | undefined;
  readonly #idleMs: number;
  readonly #firstIdle: SharedTimer;
  readonly #idleEntry: Entry<Waiter>;
  #laterIdle: NodeJS.Timeout | undefined;
  #cutReason: string | undefined;

  constructor(plane: DataPlane<C>, request: RelayRequest<C>) {
    const { client, upstream, limits, inspect, owner } = request;
    const { idleMs, totalMs } = limits;
    this.inspect = inspect;
    this.passedBytes = request.passedBytes;
    this.#owner = owner;
    this.#stalledBytes = request.stalledBytes;
    this.#activeElsewhereAt = request.activeElsewhereAt;
    this.#idleMs = idleMs;
    this.#firstIdle = sharedTimer(idleMs);
    this.#idleEntry = this.#firstIdle.add(this);
    if (totalMs > 0) this.#cancelTotal = after(totalMs, () => this.cut('total_timeout'));
    this.#relay = plane.relay(client, upstream, this);
  }

  bytesIn(): number {
    return this.#relay.bytesIn();
  }

  bytesOut(): number {
    return this.#relay.bytesOut();
  }

  resume(): void {
    this.#relay.resume();
  }

  /** Ends both sides. The result has the reason of the first cut. */
  cut(reason: string, client: Ending = 'close'): void {
    this.#cutReason ??= reason;
    this.#relay.stop(client);
  }

  onElapsed(): void {
    LimitedRelay.#checkIdle(this);
  }

  static #checkIdle<C extends Connection>(relay: LimitedRelay<C>): void {
    const activeAt = Math.max(relay.#relay.activeAt(), relay.#activeElsewhereAt?.() ?? 0);
    const left = activeAt + relay.#idleMs - monotonicMs();
    if (left > 0) relay.#laterIdle = setTimeout(LimitedRelay.#checkIdle, Math.ceil(left), relay);
    else relay.cut('idle_timeout');
  }

  stalled(bytes: number): void {
    if (bytes > 0) this.#stalled ??= this.#stalledBytes.open(this.#owner);
    this.#stalled?.set(bytes);
  }

  ended(end: RelayEnd): void {
    this.#stalled?.set(0);
    this.#firstIdle.remove(this.#idleEntry);
    clearTimeout(this.#laterIdle);
    this.#cancelTotal?.();
    this.#owner.ended({ reason: this.#cutReason ?? end });
  }
}
