/** A worker and, after it ends, its replacement. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { SharedContext } from '../../session/context.ts';
import { after } from '../../time/timer.ts';
import type { Order, WorkerSettings } from '../link/messages.ts';
import { type ReplicaSource, Replication } from './replication.ts';
import { type OrderResult, type WorkerEvents, WorkerProcess } from './worker-process.ts';

interface MemberOptions extends Pick<WorkerEvents, 'onRequest' | 'onReport'> {
  readonly name: string;
  readonly settings: () => WorkerSettings;
  readonly source: ReplicaSource;
  /** Called when the worker has its copy of `source`. */
  readonly onCurrent: (worker: WorkerProcess) => void;
  /** Called after the worker has ended. `how`: its status, its signal, or why it was killed. */
  readonly onEnded: (worker: WorkerProcess, how: string) => void;
  readonly isReplaced: () => boolean;
  readonly orders: () => readonly Order[];
  readonly fault: (message: string) => void;
  readonly fingerprintKey: SharedContext['fingerprintKey'];
}

interface ForkedWorker {
  readonly worker: WorkerProcess;
  /** Resolves when the worker has its copy of the state, or has ended. */
  readonly current: Promise<void>;
}

export class SupervisedWorker {
  readonly #options: MemberOptions;
  #worker: WorkerProcess | undefined;
  #replication: Replication | undefined;
  #isCurrent = false;
  /** Why the worker does not serve. Undefined while it serves. */
  #problem: string | undefined = 'it has not started yet';
  /** Describes how late the heartbeat is. Undefined while it is in time. */
  #silence: string | undefined;
  #readySince = 0;
  #restartMs: number = daemonBounds.workerRestartMs.first;
  #cancelRestart = () => {};

  constructor(options: MemberOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Undefined while no process runs. */
  get worker(): WorkerProcess | undefined {
    return this.#worker;
  }

  /** The worker, if it has its copy of `source`. Undefined otherwise. */
  get current(): WorkerProcess | undefined {
    return this.#isCurrent ? this.#worker : undefined;
  }

  /** Why the worker does not serve, or how late its heartbeat is. Undefined while it serves in time. */
  get problem(): string | undefined {
    return this.#problem ?? this.#silence;
  }

  readonly onBanChange: Replication['onBanChange'] = (change) => this.#replication?.onBanChange(change);

  readonly onDecisions: Replication['onDecisions'] = (ip, held) => this.#replication?.onDecisions(ip, held);

  /** Resolves with undefined when the worker has ended. */
  async order(order: Order): Promise<OrderResult> {
    return this.#worker?.order(order);
  }

  /** @throws Error when the system refuses to start a process */
  fork(): ForkedWorker {
    const { settings, source, fingerprintKey, onRequest, onReport, onCurrent, onEnded } = this.#options;
    const worker = new WorkerProcess(settings(), {
      onRequest,
      onReport,
      onExit: (how, lost) => {
        this.#onExit(how, lost);
        onEnded(worker, how);
      },
    });
    const key = fingerprintKey()?.export().toString('base64');
    if (key !== undefined) worker.post({ kind: 'fingerprint_key', key });
    const replication = new Replication(source, worker);
    this.#worker = worker;
    this.#replication = replication;
    const current = replication.sendAll().then(() => {
      if (worker.hasEnded()) return;
      this.#isCurrent = true;
      onCurrent(worker);
    });
    return { worker, current };
  }

  /** Returns undefined when the system cannot start a process, and tries again later. */
  #tryFork(): ForkedWorker | undefined {
    try {
      return this.fork();
    } catch (error) {
      this.#onExit((error as Error).message, 0);
      return undefined;
    }
  }

  /**
   * Checks the heartbeat and the orders. Kills a worker that hangs or has not carried out an order in time. That ends
   * its connections, and a replacement starts.
   */
  examine(now: number, wasPaused: boolean): void {
    const worker = this.#worker;
    if (!worker) return;
    if (wasPaused) worker.restart(now);
    const { ms, isLate, isHung } = worker.silence(now);
    const silence = `no heartbeat for ${Math.floor(ms / 1000)} s`;
    this.#silence = isLate ? silence : undefined;
    if (isHung) worker.kill(silence);
    else if (worker.isOverdue(now)) worker.kill('it did not carry out an order in time');
  }

  markReady(): void {
    this.#problem = undefined;
    this.#silence = undefined;
    this.#readySince = performance.now();
  }

  /** Starts a replacement. Sends it all orders in one turn of the event loop, so that later orders queue after them. */
  async #restart(): Promise<void> {
    const forked = this.#tryFork();
    if (!forked) return;
    const { worker, current } = forked;
    const results = await Promise.all(this.#options.orders().map((order) => worker.order(order)));
    await current;
    await worker.order({ kind: 'settle' });
    if (this.#worker !== worker) return; // this replacement has ended too
    const [problem] = results.flatMap((problems) => problems ?? []);
    if (!problem) return this.markReady();
    this.#options.fault(`${this.name} could not start: ${problem.message}`);
    worker.kill('it could not start');
  }

  #onExit(how: string, lost: number): void {
    const { first, most } = daemonBounds.workerRestartMs;
    const wasWell = this.#problem === undefined && performance.now() - this.#readySince > most;
    if (wasWell) this.#restartMs = first;
    this.#worker = undefined;
    this.#replication = undefined;
    this.#isCurrent = false;
    this.#silence = undefined;
    this.#problem = `it ended (${how})`;
    if (!this.#options.isReplaced()) return;
    this.#problem += ' and is being restarted';
    this.#options.fault(`${this.name} ended (${how}) with ${lost} connections; it is being restarted`);
    this.#cancelRestart = after(this.#restartMs, () => void this.#restart());
    this.#restartMs = Math.min(this.#restartMs * 2, most);
  }

  async close(): Promise<void> {
    this.#cancelRestart();
    await this.#worker?.close();
  }
}
