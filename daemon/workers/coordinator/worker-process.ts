/** The coordinator's side of one worker process. */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Problem } from '../../../contract/load/index.ts';
import type { EndLogin, LoginOutcome } from '../../logins/places.ts';
import type { PlaneName } from '../../plane/choice.ts';
import { programUrl } from '../../process/program-file.ts';
import { createLink, type Link } from '../link/link.ts';
import type { AdmissionRequest, FromWorker, Order, ToWorker, WorkerSettings } from '../link/messages.ts';
import { Pulse, type Silence } from './heartbeat.ts';
import { environmentOfWorker } from './worker-view.ts';

/** The flag blocks SIGUSR1, which would open a debugger. Workers do not use that signal. */
const nodeArguments = [...process.execArgv, '--disable-sigusr1'];

/** A message that changes the worker's copy of shared state. The worker does not respond to it. */
type StateMessage = Exclude<ToWorker, { kind: 'verdict' | 'cut' | 'order' }>;

const slotKinds: ReadonlySet<FromWorker['kind']> = new Set(['admit', 'held', 'entered', 'login']);

/** A message that is passed to the coordinator. WorkerProcess handles the others. */
export type Report = Exclude<FromWorker, { kind: 'beat' | 'admit' | 'left' | 'login_ended' | 'done' }>;

export interface WorkerEvents {
  readonly onRequest: (request: AdmissionRequest, worker: WorkerProcess) => void;
  readonly onReport: (report: Report, worker: WorkerProcess) => void;
  /**
   * Called when the worker has ended and its slots are free. `how`: its status, its signal, or why it was killed.
   * `lost`: the number of connections that ended with it.
   */
  readonly onExit: (how: string, lost: number) => void;
}

/** The problems of an order. Undefined when the worker ended first. */
export type OrderResult = readonly Problem[] | undefined;

interface PendingOrder {
  readonly settle: (result: OrderResult) => void;
  since: number;
}

export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #link: Link<ToWorker>;
  readonly #events: WorkerEvents;
  readonly #orders = new Map<number, PendingOrder>();
  /** The functions that free the occupied slots. */
  readonly #slots = new Map<number, () => void>();
  /** The functions that end the logins of the worker which have or await a place. */
  readonly #logins = new Map<number, EndLogin>();
  readonly #exited: Promise<void>;
  /** The number of refused connections in the tarpit, from the last report. */
  tarpitCount = 0;
  /** The largest number of open connections that the worker may admit without the coordinator. */
  allowedConnections = 0;
  /** Open connections that the worker admitted without the coordinator, by service, from the last report. */
  admittedCounts: ReadonlyMap<string, number> = new Map();
  readonly #pulse = new Pulse(performance.now());
  #killReason: string | undefined;
  #lastOrder = 0;
  #hasEnded = false;

  readonly plane: PlaneName;

  constructor({ workers, plane }: WorkerSettings, events: WorkerEvents) {
    this.plane = plane;
    this.#events = events;
    const program = programUrl(import.meta.url, '../worker/main', 'relay-worker');
    this.#child = fork(program, [String(workers), plane], {
      execArgv: nodeArguments,
      env: environmentOfWorker(process.env),
    });
    this.#link = createLink((batch, sent) => {
      if (this.#child.connected) this.#child.send(batch as ToWorker[], sent);
      else sent(); // the worker has ended, or did not start
    });
    this.#child.on('message', (batch: readonly FromWorker[]) => {
      this.#pulse.beat(performance.now());
      batch.forEach(this.#onMessage);
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exited = promise;
    const ended = (how: string) => {
      this.#end(how);
      resolve();
    };
    this.#child.on('exit', (status, signal) => ended(this.#killReason ?? signal ?? `status ${status}`));
    // An error without a pid: the process did not start.
    this.#child.on('error', ({ message }) => this.#child.pid === undefined && ended(message));
  }

  get occupiedSlots(): number {
    return this.#slots.size;
  }

  /** The number of open connections that the worker admitted without the coordinator, from its last report. */
  admittedCount(service?: string): number {
    if (service !== undefined) return this.admittedCounts.get(service) ?? 0;
    return [...this.admittedCounts.values()].reduce((sum, count) => sum + count, 0);
  }

  readonly hasEnded = (): boolean => this.#hasEnded;

  /** Handles a message. Messages can arrive after the end of the worker, whose slots are then already free. */
  #onMessage = (item: FromWorker) => {
    if (item.kind === 'beat') return;
    if (item.kind === 'left') this.#leave(item.slot);
    else if (item.kind === 'login_ended') this.#endLogin(item.number, item.outcome);
    else if (item.kind === 'done') this.#settle(item.number, item.problems);
    else if (this.#hasEnded && slotKinds.has(item.kind)) return;
    else if (item.kind === 'admit') this.#events.onRequest(item, this);
    else this.#events.onReport(item, this);
  };

  /** Registers a login. `end`: called with its outcome, or when the worker ends. */
  registerLogin(number: number, end: EndLogin): void {
    this.#logins.set(number, end);
  }

  #endLogin(number: number, outcome?: LoginOutcome): void {
    const end = this.#logins.get(number);
    this.#logins.delete(number);
    end?.(outcome);
  }

  #leave(slot: number): void {
    const free = this.#slots.get(slot);
    this.#slots.delete(slot);
    free?.();
  }

  #settle(number: number, result: OrderResult): void {
    const pending = this.#orders.get(number);
    this.#orders.delete(number);
    pending?.settle(result);
  }

  #end(how: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const lost = this.occupiedSlots + this.admittedCount();
    this.admittedCounts = new Map();
    this.allowedConnections = 0;
    for (const slot of [...this.#slots.keys()]) this.#leave(slot);
    for (const number of [...this.#logins.keys()]) this.#endLogin(number);
    for (const number of [...this.#orders.keys()]) this.#settle(number, undefined);
    this.#events.onExit(how, lost);
  }

  /** Registers an occupied slot. `free`: called when the worker frees the slot, or ends. */
  registerSlot(slot: number, free: () => void): void {
    this.#slots.set(slot, free);
  }

  grantSlot(slot: number, free: () => void): void {
    this.registerSlot(slot, free);
    this.#link.post({ kind: 'verdict', slot });
  }

  /** `isUnknown`: the coordinator does not have the service, so the worker accounts for the refusal. */
  refuseSlot(slot: number, refusal: string, isUnknown = false): void {
    this.#link.post({ kind: 'verdict', slot, refusal, ...(isUnknown && { isUnknown }) });
  }

  readonly post = (message: StateMessage): void => {
    if (!this.#hasEnded) this.#link.post(message);
  };

  /** Resolves when every posted message was put into a batch, or when the worker has ended. */
  readonly untilDrained = async (): Promise<void> => {
    do await sleep(1);
    while (!this.#hasEnded && this.#link.size() > 0);
  };

  cut(slot: number, reason: string): void {
    this.#link.post({ kind: 'cut', slot, reason });
  }

  order(order: Order): Promise<OrderResult> {
    if (this.#hasEnded) return Promise.resolve(undefined);
    const number = ++this.#lastOrder;
    return new Promise((settle) => {
      this.#orders.set(number, { settle, since: performance.now() });
      this.#link.post({ kind: 'order', number, order });
    });
  }

  kill(why: string): void {
    this.#killReason ??= `killed: ${why}`;
    this.#child.kill('SIGKILL');
  }

  silence(now: number): Silence {
    return this.#pulse.silence(now);
  }

  isOverdue(now: number): boolean {
    return [...this.#orders.values()].some(({ since }) => now - since >= daemonBounds.workerAnswerMs);
  }

  /** Measures the worker's silence and the time of orders from now on, because this process did not run for a while. */
  restart(now: number): void {
    this.#pulse.restart(now);
    for (const order of this.#orders.values()) order.since = now;
  }

  /** Ends the worker. Resolves when it has ended, after its last messages. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.kill('it did not end in time'), daemonBounds.workerEndMs);
    await this.order({ kind: 'end' });
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
    clearTimeout(timer);
  }
}
