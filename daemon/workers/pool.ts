/** The workers: started, told the same, and started anew when they end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Problem } from '../../contract/load/index.ts';
import type { Endpoint } from '../../contract/values/endpoint.ts';
import { createNetPlane } from '../plane/net/plane.ts';
import type { Listener } from '../plane/plane.ts';
import { after } from '../time/timer.ts';
import { watch } from './heartbeat.ts';
import type { Order } from './messages.ts';
import { type Carried, type Heard, RelayWorker } from './relay-worker.ts';

export interface PoolOptions {
  readonly workers: number;
  /** What relative paths in the configuration are relative to. */
  readonly folder: string;
  readonly ask: Heard['ask'];
  readonly news: Heard['news'];
  /** For the log. */
  readonly fault: (message: string) => void;
}

/** The place of a worker, which a new one takes when it ends. */
interface Slot {
  readonly name: string;
  worker: RelayWorker | undefined;
  /** Why there is none that serves; undefined: there is one. */
  problem: string | undefined;
  /** How long its heartbeat is missing; undefined: it is not late. */
  silence: string | undefined;
  readySince: number;
  restartMs: number;
  cancelRestart: () => void;
}

const newSlot = (index: number): Slot => ({
  name: `worker ${index + 1}`,
  worker: undefined,
  problem: 'it has not begun',
  silence: undefined,
  readySince: 0,
  restartMs: daemonBounds.workerRestartMs.first,
  cancelRestart: () => {},
});

/** Whether nobody else listens there, and which port it is where 0 is asked for: workers would share it with anybody. */
async function taken(endpoint: Endpoint): Promise<Endpoint> {
  const listener = await createNetPlane().listen(endpoint, {
    accept: (connection) => connection.end('reset'),
    fault: () => {},
  });
  await listener.close();
  return listener.endpoint;
}

export class Pool {
  readonly #options: PoolOptions;
  readonly #slots: readonly Slot[];
  readonly #listens = new Map<string, Endpoint>();
  /** The configuration in force, and the one that workers were told to prepare. */
  #current: Daemon | undefined;
  #coming: Daemon | undefined;
  #isStarted = false;
  #isClosed = false;
  #stopWatching = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.workers }, (_, index) => newSlot(index));
  }

  /** How many serve. */
  get live(): number {
    return this.#slots.length - this.problems().length;
  }

  /** Refused connections that are held in tarpits. */
  get held(): number {
    return this.#slots.reduce((sum, { worker }) => sum + (worker?.held ?? 0), 0);
  }

  problems(): readonly string[] {
    return this.#slots.flatMap(({ name, problem, silence }) => {
      const what = problem ?? silence;
      return what === undefined ? [] : [`${name}: ${what}`];
    });
  }

  async #all(order: Order): Promise<readonly Carried[]> {
    return Promise.all(this.#slots.map(({ worker }) => worker?.order(order)));
  }

  /** All do the same; what is wrong with it. A worker that ends meanwhile is told again when it begins anew. */
  async #problems(order: Order): Promise<readonly Problem[]> {
    return (await this.#all(order)).find((problems) => problems && problems.length > 0) ?? [];
  }

  /** Starts the workers the first time. @throws Error when one of them cannot be started */
  async prepare(config: Daemon): Promise<readonly Problem[]> {
    this.#coming = config;
    const order = { kind: 'prepare', config, folder: this.#options.folder } as const;
    if (this.#isStarted) {
      const problems = await this.#problems(order);
      if (problems.length > 0) this.discard();
      return problems;
    }
    for (const slot of this.#slots) this.#fork(slot);
    this.#stopWatching = watch((now, wasAway) => {
      for (const slot of this.#slots) this.#examine(slot, now, wasAway);
    });
    const problems = await this.#problems(order);
    const lost = this.#slots.find(({ worker }) => !worker);
    if (lost) throw new Error(`${lost.name}: ${lost.problem}`);
    this.#isStarted = true;
    for (const slot of this.#slots) this.#isReady(slot);
    return problems;
  }

  /** What was prepared is not adopted. */
  discard(): void {
    this.#coming = this.#current;
  }

  async adopt(): Promise<void> {
    this.#current = this.#coming;
    await this.#all({ kind: 'adopt' });
  }

  /** In all workers, or it rejects. */
  async listen(at: string, endpoint: Endpoint): Promise<Listener> {
    const place = await taken(endpoint);
    this.#listens.set(at, place);
    const [problem] = await this.#problems({ kind: 'listen', at, endpoint: place });
    if (problem) {
      await this.#unlisten(at);
      throw new Error(problem.message);
    }
    return { endpoint: place, close: () => this.#unlisten(at) };
  }

  async #unlisten(at: string): Promise<void> {
    this.#listens.delete(at);
    await this.#all({ kind: 'unlisten', at });
  }

  /** Resolves when all have done what they were told before, and after a time in any case. */
  async settled(): Promise<void> {
    const late = new AbortController();
    const wait = sleep(daemonBounds.workerSettleMs, undefined, { signal: late.signal }).catch(() => {});
    await Promise.race([this.#all({ kind: 'settle' }), wait]);
    late.abort();
  }

  async release(): Promise<void> {
    await this.#all({ kind: 'release' });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatching();
    for (const { cancelRestart } of this.#slots) cancelRestart();
    await Promise.all(this.#slots.map(({ worker }) => worker?.close()));
  }

  #fork(slot: Slot): RelayWorker {
    const { workers, ask, news } = this.#options;
    slot.worker = new RelayWorker(workers, { ask, news, gone: (how, lost) => this.#gone(slot, how, lost) });
    return slot.worker;
  }

  /** Kills a hung worker, and `#gone` replaces it. Its connections end: nothing relays their bytes. */
  #examine(slot: Slot, now: number, wasAway: boolean): void {
    const { worker } = slot;
    if (!worker) return;
    if (wasAway) worker.forgive(now);
    const { ms, isLate, isHung } = worker.silence(now);
    const silence = `no heartbeat for ${Math.floor(ms / 1000)} s`;
    slot.silence = isLate ? silence : undefined;
    if (isHung) worker.kill(silence);
  }

  #isReady(slot: Slot): void {
    slot.problem = undefined;
    slot.silence = undefined;
    slot.readySince = performance.now();
  }

  /** Everything is told at once: what others are told meanwhile comes after it. */
  async #restart(slot: Slot): Promise<void> {
    const { folder } = this.#options;
    const worker = this.#fork(slot);
    const orders: Order[] = [];
    if (this.#current) orders.push({ kind: 'prepare', config: this.#current, folder }, { kind: 'adopt' });
    if (this.#coming !== this.#current && this.#coming) orders.push({ kind: 'prepare', config: this.#coming, folder });
    for (const [at, endpoint] of this.#listens) orders.push({ kind: 'listen', at, endpoint });
    const carried = await Promise.all(orders.map((order) => worker.order(order)));
    if (slot.worker !== worker) return; // it has ended, and is started anew
    const [problem] = carried.flatMap((problems) => problems ?? []);
    if (!problem) return this.#isReady(slot);
    this.#options.fault(`${slot.name} cannot serve: ${problem.message}`);
    worker.kill('it cannot serve');
  }

  #gone(slot: Slot, how: string, lost: number): void {
    const { first, most } = daemonBounds.workerRestartMs;
    const wasWell = slot.problem === undefined && performance.now() - slot.readySince > most;
    if (wasWell) slot.restartMs = first;
    slot.worker = undefined;
    slot.silence = undefined;
    slot.problem = `it has ended (${how})`;
    if (this.#isClosed || !this.#isStarted) return;
    slot.problem += ' and is started anew';
    this.#options.fault(`${slot.name} has ended (${how}), with ${lost} connections; it is started anew`);
    slot.cancelRestart = after(slot.restartMs, () => void this.#restart(slot));
    slot.restartMs = Math.min(slot.restartMs * 2, most);
  }
}
