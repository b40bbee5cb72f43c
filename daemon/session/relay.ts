/** A relay with idle and total time limits. */
import type { Connection, DataPlane, Ending, RelayHooks } from '../plane/plane.ts';
import { after } from '../time/timer.ts';

interface RelayLimits {
  /** Without a byte in either direction, milliseconds. */
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

export interface RelayRequest {
  readonly client: Connection;
  readonly upstream: Connection;
  readonly limits: RelayLimits;
  readonly inspect: RelayHooks['inspect'];
  /** Called once. */
  readonly ended: (result: RelayResult) => void;
}

/** Calls `idle` once nothing has moved for `ms`. Uses one timer for each connection, independent of the number of chunks. */
function whenIdle(ms: number, activeAt: () => number, idle: () => void): () => void {
  let cancel = () => {};
  const wait = (left: number) => {
    cancel = after(left, () => {
      const rest = activeAt() + ms - performance.now();
      if (rest > 0) wait(Math.ceil(rest));
      else idle();
    });
  };
  wait(ms);
  return () => cancel();
}

/** Relays between two connections until one ends or a limit is reached. */
export function startRelay(plane: DataPlane, { client, upstream, limits, inspect, ended }: RelayRequest): Relaying {
  const timers: (() => void)[] = [];
  let cutBy: string | undefined;
  const relay = plane.relay(client, upstream, {
    inspect,
    ended: (end) => {
      for (const cancel of timers) cancel();
      ended({ reason: cutBy ?? end, bytesIn: relay.bytesIn(), bytesOut: relay.bytesOut() });
    },
  });
  const cut = (reason: string, how: Ending = 'close') => {
    cutBy ??= reason;
    relay.stop(how);
  };
  timers.push(whenIdle(limits.idleMs, relay.activeAt, () => cut('idle_timeout')));
  if (limits.totalMs > 0) timers.push(after(limits.totalMs, () => cut('total_timeout')));
  return { bytesIn: relay.bytesIn, bytesOut: relay.bytesOut, cut };
}
