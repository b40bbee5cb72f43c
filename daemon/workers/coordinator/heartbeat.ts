/** Heartbeats of the workers. Times are milliseconds of a monotonic clock. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

const { every, late, hung } = daemonBounds.workerHeartbeatMs;

export interface Silence {
  readonly ms: number;
  readonly isLate: boolean;
  readonly isHung: boolean;
}

/** Measures the silence of one worker. Until its first message, the limit is longer. */
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

  restart(now: number): void {
    this.#lastMessageAt = now;
  }

  silence(now: number): Silence {
    const ms = now - this.#lastMessageAt;
    return { ms, isLate: ms >= late, isHung: ms >= this.#limitMs };
  }
}

/**
 * Returns a function that detects whether this process did not run for a while since the last call: the machine was
 * suspended or too busy. The silence of the workers is then unknown.
 */
export function createPauseDetector(startedAt: number): (now: number) => boolean {
  let lastAt = startedAt;
  return (now) => {
    const wasPaused = now - lastAt >= 2 * every;
    lastAt = now;
    return wasPaused;
  };
}

/** Calls `check` in each heartbeat interval, after pending messages. Returns a function that stops the calls. */
export function watchHeartbeats(check: (now: number, wasPaused: boolean) => void): () => void {
  const wasPaused = createPauseDetector(performance.now());
  const timer = setInterval(() => {
    setImmediate(() => {
      const now = performance.now();
      check(now, wasPaused(now));
    });
  }, every);
  return () => clearInterval(timer);
}
