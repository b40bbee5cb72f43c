/** Heartbeats of workers, as the coordinator watches them. Times are milliseconds of a monotonic clock. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

const { every, late, hung } = daemonBounds.workerHeartbeatMs;

export interface Silence {
  readonly ms: number;
  readonly isLate: boolean;
  readonly isHung: boolean;
}

/** When the last message of a worker arrived. It has longer until its first one. */
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

  /** The silence until now does not count. */
  restart(now: number): void {
    this.#lastMessageAt = now;
  }

  silence(now: number): Silence {
    const ms = now - this.#lastMessageAt;
    return { ms, isLate: ms >= late, isHung: ms >= this.#limitMs };
  }
}

/**
 * Whether the coordinator itself did not run since the last call: stopped with the whole machine, or too busy. Then it does
 * not know how long its workers were silent.
 */
export function createPauseDetector(startedAt: number): (now: number) => boolean {
  let lastAt = startedAt;
  return (now) => {
    const wasPaused = now - lastAt >= 2 * every;
    lastAt = now;
    return wasPaused;
  };
}

/** Calls `look` once a heartbeat interval, after the messages that have arrived were read. Returns what stops it. */
export function watch(look: (now: number, wasPaused: boolean) => void): () => void {
  const wasPaused = createPauseDetector(performance.now());
  const timer = setInterval(() => {
    setImmediate(() => {
      const now = performance.now();
      look(now, wasPaused(now));
    });
  }, every);
  return () => clearInterval(timer);
}
