/** Chooses the data plane of each worker. After a crash in the Linux plane, a worker runs on node:net. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { PlaneName, PlaneStatus } from '../../plane/choice.ts';

const crashSignals = ['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS'];

export const isCrash = (signal: string): boolean => crashSignals.includes(signal);

export class WorkerPlanes {
  #status: PlaneStatus;
  /** One message for each worker that crashed in the Linux plane. */
  readonly #crashMessages = new Map<string, string>();
  readonly #workers: number;
  #crashedAt = Number.NEGATIVE_INFINITY;

  constructor(status: PlaneStatus, workers: number) {
    this.#status = status;
    this.#workers = workers;
  }

  planeOf(worker: string): PlaneName {
    return this.#crashMessages.has(worker) ? 'net' : this.#status.name;
  }

  status(): PlaneStatus {
    return this.#status;
  }

  problems(): readonly string[] {
    return [...this.#crashMessages.values()];
  }

  /** Records a crash. `now`: milliseconds of a monotonic clock. `isSecond`: all workers must run on node:net now. */
  recordCrash(worker: string, signal: string, now: number): { readonly message: string; readonly isSecond: boolean } {
    const isSecond = now - this.#crashedAt < daemonBounds.planeCrashMs;
    this.#crashedAt = now;
    const what = `${worker} crashed in the Linux data plane (${signal})`;
    const message = isSecond
      ? `${what}, the second crash within an hour: all workers run on node:net until tcp-guard restarts`
      : `${what} and runs on node:net until tcp-guard restarts`;
    this.#crashMessages.set(worker, message);
    const isNoneLeft = this.#crashMessages.size === this.#workers;
    if (isSecond || isNoneLeft) this.#status = { name: 'net', reason: message };
    return { message, isSecond };
  }
}
