/** One worker, as the first process sees it. */
import { type ChildProcess, fork } from 'node:child_process';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Problem } from '../../contract/load/index.ts';
import { programFile } from '../process/program-file.ts';
import { Pulse, type Silence } from './heartbeat.ts';
import { createLink, type Link } from './link.ts';
import type { AdmissionRequest, FromWorker, Order, ToWorker } from './messages.ts';

/** Node then blocks SIGUSR1 for the life of the process, handlers included: a worker has no use for it, and it would open a debugger. */
const nodeArguments = [...process.execArgv, '--disable-sigusr1'];

/** What a worker tells that is not about itself. */
export type Report = Exclude<FromWorker, { kind: 'beat' | 'admit' | 'left' | 'done' }>;

export interface WorkerEvents {
  readonly onRequest: (request: AdmissionRequest, worker: RelayWorker) => void;
  readonly onReport: (report: Report, worker: RelayWorker) => void;
  /** It has ended; its places are free again. `how`: its status or signal, or why it was killed. `lost`: connections that ended with it. */
  readonly onExit: (how: string, lost: number) => void;
}

/** What became of an order; undefined: the worker has ended. */
export type OrderResult = readonly Problem[] | undefined;

interface PendingOrder {
  readonly settle: (result: OrderResult) => void;
  readonly timer: NodeJS.Timeout;
}

export class RelayWorker {
  readonly #child: ChildProcess;
  readonly #link: Link<ToWorker>;
  readonly #events: WorkerEvents;
  readonly #orders = new Map<number, PendingOrder>();
  /** What frees each place that was given to it. */
  readonly #slots = new Map<number, () => void>();
  readonly #exited: Promise<void>;
  /** Refused connections that it holds in its tarpit, as it last said. */
  held = 0;
  readonly #pulse = new Pulse(performance.now());
  #killedFor: string | undefined;
  #lastOrder = 0;
  #hasEnded = false;

  /** `workers`: how many there are. */
  constructor(workers: number, events: WorkerEvents) {
    this.#events = events;
    const program = programFile(import.meta.url, './main', 'relay-worker');
    this.#child = fork(program, [String(workers)], { execArgv: nodeArguments });
    this.#link = createLink((batch, sent) => this.#child.send(batch as ToWorker[], sent));
    this.#child.on('message', (batch: readonly FromWorker[]) => {
      this.#pulse.beat(performance.now());
      batch.forEach(this.#take);
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exited = promise;
    const ended = (how: string) => {
      this.#end(how);
      resolve();
    };
    this.#child.on('exit', (status, signal) => ended(this.#killedFor ?? signal ?? `status ${status}`));
    this.#child.on('error', ({ message }) => this.#child.pid === undefined && ended(message)); // it could not be started
  }

  /** Places that it holds. */
  get size(): number {
    return this.#slots.size;
  }

  /** The last messages may come behind the end: then there are no places any more. */
  #take = (item: FromWorker) => {
    if (item.kind === 'beat') return;
    if (item.kind === 'left') this.#leave(item.slot);
    else if (item.kind === 'done') this.#settle(item.number, item.problems);
    else if (this.#hasEnded && (item.kind === 'admit' || item.kind === 'held')) return;
    else if (item.kind === 'admit') this.#events.onRequest(item, this);
    else this.#events.onReport(item, this);
  };

  #leave(slot: number): void {
    const free = this.#slots.get(slot);
    this.#slots.delete(slot);
    free?.();
  }

  #settle(number: number, result: OrderResult): void {
    const pending = this.#orders.get(number);
    this.#orders.delete(number);
    clearTimeout(pending?.timer);
    pending?.settle(result);
  }

  #end(how: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const lost = this.size;
    for (const slot of [...this.#slots.keys()]) this.#leave(slot);
    for (const number of [...this.#orders.keys()]) this.#settle(number, undefined);
    this.#events.onExit(how, lost);
  }

  /** Frees a place when the worker leaves it. */
  keep(slot: number, free: () => void): void {
    this.#slots.set(slot, free);
  }

  give(slot: number, free: () => void): void {
    this.keep(slot, free);
    this.#link.post({ kind: 'verdict', slot });
  }

  refuse(slot: number, refusal: string): void {
    this.#link.post({ kind: 'verdict', slot, refusal });
  }

  cut(slot: number, reason: string): void {
    this.#link.post({ kind: 'cut', slot, reason });
  }

  /** A worker that does not answer in time is killed. */
  order(order: Order): Promise<OrderResult> {
    if (this.#hasEnded) return Promise.resolve(undefined);
    const number = ++this.#lastOrder;
    return new Promise((settle) => {
      const timer = setTimeout(() => this.kill('it did not do what it was told'), daemonBounds.workerAnswerMs);
      this.#orders.set(number, { settle, timer });
      this.#link.post({ kind: 'order', number, order });
    });
  }

  kill(why: string): void {
    this.#killedFor ??= `killed: ${why}`;
    this.#child.kill('SIGKILL');
  }

  /** How long no message of it has arrived. */
  silence(now: number): Silence {
    return this.#pulse.silence(now);
  }

  /** Counts its silence from now. */
  restart(now: number): void {
    this.#pulse.restart(now);
  }

  /** Lets it hand over what it has, and resolves when it is gone. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.kill('it did not end'), daemonBounds.workerEndMs);
    await this.order({ kind: 'end' });
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
    clearTimeout(timer);
  }
}
