/** The worker processes: started, given the same orders, and restarted when they end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Problem } from '../../contract/load/index.ts';
import type { Endpoint } from '../../contract/values/endpoint.ts';
import type { PolicyTexts } from '../admission/policies.ts';
import type { KernelBansMode } from '../kernel-bans/choice.ts';
import { type KernelBansState, stateOf } from '../kernel-bans/index.ts';
import type { PlaneStatus } from '../plane/choice.ts';
import type { Connection, DataPlane, Listener } from '../plane/plane.ts';
import { after } from '../time/timer.ts';
import { watch } from './heartbeat.ts';
import type { Order } from './messages.ts';
import { type OrderResult, RelayWorker, type WorkerEvents } from './relay-worker.ts';
import { type ReplicaSource, Replication } from './replication.ts';
import { isCrash, WorkerPlanes } from './worker-planes.ts';
import { configOfWorker } from './worker-view.ts';

export interface PoolOptions {
  readonly workers: number;
  /** The plane that the workers start with. */
  readonly dataPlane: PlaneStatus;
  /** What the workers use for bans in the kernel. */
  readonly kernelBans: KernelBansMode;
  readonly onRequest: WorkerEvents['onRequest'];
  readonly onReport: WorkerEvents['onReport'];
  readonly source: ReplicaSource;
  /** Called when a worker has received everything in `source`. Until then it requests every decision that it cannot make. */
  readonly onCurrent: (worker: RelayWorker) => void;
  /** Binds an endpoint exclusively once. */
  readonly bind: (endpoint: Endpoint) => Promise<Endpoint>;
  /** Writes to the log. */
  readonly fault: (message: string) => void;
}

/** A member of the pool: a worker and, after it ends, its replacement. */
interface Member {
  readonly name: string;
  worker: RelayWorker | undefined;
  replication: Replication | undefined;
  isCurrent: boolean;
  /** Why the member does not serve. Undefined: it serves. */
  problem: string | undefined;
  /** How long its heartbeat is missing. Undefined: it is in time. */
  silence: string | undefined;
  readySince: number;
  restartMs: number;
  cancelRestart: () => void;
}

type Preparation = Extract<Order, { kind: 'prepare' }>;

interface Forked {
  readonly worker: RelayWorker;
  /** Resolves when the worker has received everything in the source, or has ended. */
  readonly current: Promise<void>;
}

const newMember = (index: number): Member => ({
  name: `worker ${index + 1}`,
  worker: undefined,
  replication: undefined,
  isCurrent: false,
  problem: 'it has not started yet',
  silence: undefined,
  readySince: 0,
  restartMs: daemonBounds.workerRestartMs.first,
  cancelRestart: () => {},
});

/** Binds an endpoint exclusively once: workers would share the port with other processes. Returns it with its actual port. */
export const bindOnce =
  <C extends Connection>({ listen }: Pick<DataPlane<C>, 'listen'>) =>
  async (endpoint: Endpoint): Promise<Endpoint> => {
    const listener = await listen(endpoint, {
      accept: (connection) => connection.end('reset'),
      unattributed: () => {},
      fault: () => {},
    });
    await listener.close();
    return listener.endpoint;
  };

export class Pool {
  readonly #options: PoolOptions;
  readonly #members: readonly Member[];
  readonly #planes: WorkerPlanes;
  readonly #listens = new Map<string, Endpoint>();
  /** The configuration in force, and the one that workers are preparing. */
  #current: Preparation | undefined;
  #coming: Preparation | undefined;
  #isStarted = false;
  #isClosed = false;
  #stopWatching = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#planes = new WorkerPlanes(options.dataPlane);
    this.#members = Array.from({ length: options.workers }, (_, index) => newMember(index));
    const { bans, decisions } = options.source;
    bans.watch((change) => {
      for (const { replication } of this.#members) replication?.banned(change);
    });
    decisions.watch((ip, held) => {
      for (const { replication } of this.#members) replication?.decided(ip, held);
    });
  }

  /** The number of workers that serve. */
  get live(): number {
    return this.#members.length - this.#silent().length;
  }

  /** Sends a message to all workers. */
  readonly post: RelayWorker['post'] = (message) => {
    for (const { worker } of this.#members) worker?.post(message);
  };

  /** The workers that have received everything in the source. */
  readonly current = (): readonly RelayWorker[] =>
    this.#members.flatMap(({ worker, isCurrent }) => (worker && isCurrent ? [worker] : []));

  /** Open connections that workers admitted without a request, as of their last reports. */
  readonly ownOn = (service?: string): number =>
    this.#members.reduce((sum, { worker }) => sum + (worker?.ownOn(service) ?? 0), 0);

  /** Refused connections in the tarpits of all workers. */
  get held(): number {
    return this.#members.reduce((sum, { worker }) => sum + (worker?.held ?? 0), 0);
  }

  kernelBans(): KernelBansState {
    return stateOf(this.#members.flatMap(({ worker }) => worker?.kernelBans ?? []));
  }

  dataPlane(): PlaneStatus {
    return this.#planes.status();
  }

  problems(): readonly string[] {
    return [...this.#silent(), ...this.#planes.problems()];
  }

  /** What is said about members that do not serve. */
  #silent(): readonly string[] {
    return this.#members.flatMap(({ name, problem, silence }) => {
      const what = problem ?? silence;
      return what === undefined ? [] : [`${name}: ${what}`];
    });
  }

  async #all(order: Order): Promise<readonly OrderResult[]> {
    return Promise.all(this.#members.map(({ worker }) => worker?.order(order)));
  }

  /** Gives all workers the order. Returns the problems of the first that has any. A worker that ends meanwhile gets the order when it restarts. */
  async #problems(order: Order): Promise<readonly Problem[]> {
    return (await this.#all(order)).find((problems) => problems && problems.length > 0) ?? [];
  }

  /** Starts the workers on the first call. @throws Error when a worker cannot be started */
  async prepare(config: Daemon, policies: PolicyTexts): Promise<readonly Problem[]> {
    const order: Preparation = { kind: 'prepare', config: configOfWorker(config), policies };
    this.#coming = order;
    if (this.#isStarted) {
      const problems = await this.#problems(order);
      if (problems.length > 0) await this.discard();
      return problems;
    }
    for (const member of this.#members) this.#fork(member);
    this.#stopWatching = watch((now, wasPaused) => {
      for (const member of this.#members) this.#examine(member, now, wasPaused);
    });
    const problems = await this.#problems(order);
    const lost = this.#members.find(({ worker }) => !worker);
    if (lost) throw new Error(`${lost.name}: ${lost.problem}`);
    this.#isStarted = true;
    for (const member of this.#members) this.#isReady(member);
    return problems;
  }

  /** Drops the prepared configuration. */
  async discard(): Promise<void> {
    this.#coming = this.#current;
    await this.#all({ kind: 'discard' });
  }

  async adopt(): Promise<void> {
    this.#current = this.#coming;
    await this.#all({ kind: 'adopt' });
  }

  /** Listens in all workers, or rejects. */
  async listen(at: string, endpoint: Endpoint): Promise<Listener> {
    const bound = await this.#options.bind(endpoint);
    this.#listens.set(at, bound);
    const [problem] = await this.#problems({ kind: 'listen', at, endpoint: bound });
    if (problem) {
      await this.#unlisten(at);
      throw new Error(problem.message);
    }
    return { endpoint: bound, descriptor: undefined, close: () => this.#unlisten(at) };
  }

  async #unlisten(at: string): Promise<void> {
    this.#listens.delete(at);
    await this.#all({ kind: 'unlisten', at });
  }

  /** Resolves when all workers have carried out their earlier orders, or after a timeout. */
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
    for (const { cancelRestart } of this.#members) cancelRestart();
    await Promise.all(this.#members.map(({ worker }) => worker?.close()));
  }

  #fork(member: Member): Forked {
    const { workers, kernelBans, source, onRequest, onReport } = this.#options;
    const worker = new RelayWorker(
      { workers, kernelBans, plane: this.#planes.planeOf(member.name) },
      {
        onRequest,
        onReport,
        onExit: (how, lost) => {
          this.#onExit(member, how, lost);
          if (worker.plane === 'linux' && isCrash(how)) this.#onCrash(member, how);
        },
      },
    );
    const replication = new Replication(source, worker);
    Object.assign(member, { worker, replication });
    const current = replication.sendAll().then(() => {
      if (worker.hasEnded()) return;
      member.isCurrent = true;
      this.#options.onCurrent(worker);
    });
    return { worker, current };
  }

  /** Undefined: the system refuses to start a process, such as for want of memory, and the member tries again later. */
  #tryFork(member: Member): Forked | undefined {
    try {
      return this.#fork(member);
    } catch (error) {
      this.#onExit(member, (error as Error).message, 0);
      return undefined;
    }
  }

  /** Kills a hung worker; `#gone` replaces it. Its connections end because nothing relays their bytes. */
  #examine(member: Member, now: number, wasPaused: boolean): void {
    const { worker } = member;
    if (!worker) return;
    if (wasPaused) worker.restart(now);
    const { ms, isLate, isHung } = worker.silence(now);
    const silence = `no heartbeat for ${Math.floor(ms / 1000)} s`;
    member.silence = isLate ? silence : undefined;
    if (isHung) worker.kill(silence);
    else if (worker.isOverdue(now)) worker.kill('it did not carry out an order in time');
  }

  #isReady(member: Member): void {
    member.problem = undefined;
    member.silence = undefined;
    member.readySince = performance.now();
  }

  /** Sends all orders at once: later orders to the pool queue after them. The worker is ready when it has the replica too. */
  async #restart(member: Member): Promise<void> {
    const forked = this.#tryFork(member);
    if (!forked) return;
    const { worker, current } = forked;
    const orders: Order[] = [];
    if (this.#current) orders.push(this.#current, { kind: 'adopt' });
    if (this.#coming !== this.#current && this.#coming) orders.push(this.#coming);
    for (const [at, endpoint] of this.#listens) orders.push({ kind: 'listen', at, endpoint });
    const results = await Promise.all(orders.map((order) => worker.order(order)));
    await current;
    await worker.order({ kind: 'settle' });
    if (member.worker !== worker) return; // it has ended and is being restarted
    const [problem] = results.flatMap((problems) => problems ?? []);
    if (!problem) return this.#isReady(member);
    this.#options.fault(`${member.name} could not start: ${problem.message}`);
    worker.kill('it could not start');
  }

  /** A worker that remains in the Linux plane after a second crash ends with its connections: memory of its process may be damaged too. */
  #onCrash({ name }: Member, signal: string): void {
    const { message, isLast } = this.#planes.crash(name, signal, performance.now());
    this.#options.fault(message);
    if (!isLast) return;
    for (const { worker } of this.#members) if (worker?.plane === 'linux') worker.kill('it has to run on node:net');
  }

  #onExit(member: Member, how: string, lost: number): void {
    const { first, most } = daemonBounds.workerRestartMs;
    const wasWell = member.problem === undefined && performance.now() - member.readySince > most;
    if (wasWell) member.restartMs = first;
    member.worker = undefined;
    member.replication = undefined;
    member.isCurrent = false;
    member.silence = undefined;
    member.problem = `it ended (${how})`;
    if (this.#isClosed || !this.#isStarted) return;
    member.problem += ' and is being restarted';
    this.#options.fault(`${member.name} ended (${how}) with ${lost} connections; it is being restarted`);
    member.cancelRestart = after(member.restartMs, () => void this.#restart(member));
    member.restartMs = Math.min(member.restartMs * 2, most);
  }
}
