/** A relay with idle and total time limits. */
import type { Connection, DataPlane, Ending, Relay, RelayEnd, RelayHooks } from '../plane/plane.ts';
import { after } from '../time/timer.ts';

interface RelayLimits {
  /** Without a byte in either direction, milliseconds: at most a week. */
  readonly idleMs: number;
  /** For the whole relay, milliseconds; 0: no limit. */
  readonly totalMs: number;
}

export interface RelayResult {
  /** `closed`, `client_lost`, `upstream_lost`, `idle_timeout`, `total_timeout`, or the reason of a cut. */
  readonly reason: string;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

export interface Relaying {
  readonly bytesIn: () => number;
  readonly bytesOut: () => number;
  /** Ends both sides. `reason` becomes the result. */
  readonly cut: (reason: string, client?: Ending) => void;
}

export interface RelayRequest<C extends Connection> {
  readonly client: C;
  readonly upstream: C;
  readonly limits: RelayLimits;
  readonly inspect: RelayHooks['inspect'];
  /** When the client was last active on another connection that belongs to this one. Undefined: there is none. */
  readonly activeElsewhereAt: (() => number) | undefined;
  /** Called once. */
  readonly ended: (result: RelayResult) => void;
}

class LimitedRelay<C extends Connection> implements Relaying {
  readonly #relay: Relay;
  readonly #idleMs: number;
  readonly #activeElsewhereAt: RelayRequest<C>['activeElsewhereAt'];
  readonly #ended: RelayRequest<C>['ended'];
  readonly #cancelTotal: (() => void) | undefined;
  /** One timer, independent of the number of chunks. */
  #idle: NodeJS.Timeout;
  #cutBy: string | undefined;

  constructor(plane: DataPlane<C>, request: RelayRequest<C>) {
    const { client, upstream, limits, inspect, ended } = request;
    const { idleMs, totalMs } = limits;
    this.#idleMs = idleMs;
    this.#activeElsewhereAt = request.activeElsewhereAt;
    this.#ended = ended;
    this.#relay = plane.relay(client, upstream, { inspect, ended: (end) => this.#end(end) });
    this.#idle = setTimeout(LimitedRelay.#checkIdle, idleMs, this);
    if (totalMs > 0) this.#cancelTotal = after(totalMs, () => this.cut('total_timeout'));
  }

  bytesIn(): number {
    return this.#relay.bytesIn();
  }

  bytesOut(): number {
    return this.#relay.bytesOut();
  }

  cut(reason: string, client: Ending = 'close'): void {
    this.#cutBy ??= reason;
    this.#relay.stop(client);
  }

  static #checkIdle<C extends Connection>(relay: LimitedRelay<C>): void {
    const activeAt = Math.max(relay.#relay.activeAt(), relay.#activeElsewhereAt?.() ?? 0);
    const left = activeAt + relay.#idleMs - performance.now();
    if (left > 0) relay.#idle = setTimeout(LimitedRelay.#checkIdle, Math.ceil(left), relay);
    else relay.cut('idle_timeout');
  }

  #end(end: RelayEnd): void {
    clearTimeout(this.#idle);
    this.#cancelTotal?.();
    this.#ended({ reason: this.#cutBy ?? end, bytesIn: this.bytesIn(), bytesOut: this.bytesOut() });
  }
}

/** Relays between two connections until one ends or a limit is reached. */
export function startRelay<C extends Connection>(plane: DataPlane<C>, request: RelayRequest<C>): Relaying {
  return new LimitedRelay(plane, request);
}
