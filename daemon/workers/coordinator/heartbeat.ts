/** The coordinator's view of worker heartbeats. Times are milliseconds of a monotonic clock. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

const { every, late, hung } = daemonBounds.workerHeartbeatMs;

export interface Silence {
  readonly ms: number;
  readonly isLate: boolean;
  readonly isHung: boolean;
}

/** When the last message of a worker arrived. The limit is longer until the first one. */
export class Pulse {
  #lastMessageAt: number;
  #limitMs: number = daemonBounds.workerStartMs;

  constructor(startedAt: number) {
    this.#lastMessageAt = startedAt;
  }

  beat(now: number): void {
    this.#lastMessageAt = now;
    this.#limitMs = hung;
  }

  /** Ignores the silence until now. */
  restart(now: number): void {
    this.#lastMessageAt = now;
  }

  silence(now: number): Silence {
    const ms = now - this.#lastMessageAt;
    return { ms, isLate: ms >= late, isHung: ms >= this.#limitMs };
  }
}

/**
 * Detects that the coordinator itself did not run since the last call: it was stopped with the whole machine, or too
 * busy. Then it cannot say how long its workers were silent.
 */
export function createPauseDetector(startedAt: number): (now: number) => boolean {
  let lastAt = startedAt;
  return (now) => {
    const wasPaused = now - lastAt >= 2 * every;
    lastAt = now;
    return wasPaused;
  };
}

/** Calls `check` once each heartbeat interval, after pending messages were read. Returns what stops it. */
export function watch(check: (now: number, wasPaused: boolean) => void): () => void {
  const wasPaused = createPauseDetector(performance.now());
  const timer = setInterval(() => {
    setImmediate(() => {
      const now = performance.now();
      check(now, wasPaused(now));
    });
  }, every);
  return () => clearInterval(timer);
}
