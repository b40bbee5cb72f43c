/** Starts the workers, gives all of them the same orders, and restarts those that end. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Daemon } from '../../../contract/daemon/schema.ts';
import type { Problem } from '../../../contract/load/index.ts';
import type { Endpoint } from '../../../contract/values/endpoint.ts';
import type { PolicyTexts } from '../../admission/policies.ts';
import type { PlaneStatus } from '../../plane/choice.ts';
import type { Connection, DataPlane, Listener } from '../../plane/plane.ts';
import { keepHeapSmall } from '../../plane/v8-flags.ts';
import type { SharedContext } from '../../session/context.ts';
import { inTime } from '../../time/timer.ts';
import type { Order } from '../link/messages.ts';
import { watchHeartbeats } from './heartbeat.ts';
import type { ReplicaSource } from './replication.ts';
import { SupervisedWorker } from './supervised-worker.ts';
import { isCrash, WorkerPlanes } from './worker-planes.ts';
import type { OrderResult, WorkerEvents, WorkerProcess } from './worker-process.ts';
import { configOfWorker } from './worker-view.ts';

export interface PoolOptions {
  readonly workers: number;
  /** The data plane of new workers. */
  readonly dataPlane: PlaneStatus;
  readonly onRequest: WorkerEvents['onRequest'];
  readonly onReport: WorkerEvents['onReport'];
  readonly source: ReplicaSource;
  /** Called when a worker has its copy of `source`. Until then the coordinator decides on its connections. */
  readonly onCurrent: (worker: WorkerProcess) => void;
  readonly bind: (endpoint: Endpoint) => Promise<Endpoint>;
  readonly fault: (message: string) => void;
  readonly fingerprintKey: SharedContext['fingerprintKey'];
}

type Preparation = Extract<Order, { kind: 'prepare' }>;

/**
 * Returns a function that binds an endpoint without sharing the port, and releases it. This fails when another process
 * uses the port, while workers would share the port with that process. Resolves with the endpoint and its actual port.
 */
export const bindOnce =
  <C extends Connection>({ listen }: Pick<DataPlane<C>, 'listen'>) =>
  async (endpoint: Endpoint): Promise<Endpoint> => {
    const listener = await listen(endpoint, {
      accept: (connection) => connection.end('reset'),
      unattributed: () => {},
      fault: () => {},
    });
    await listener.close();
    keepHeapSmall(); // listening has tuned the collector for a process that relays
    return listener.endpoint;
  };

export class Pool {
  readonly #options: PoolOptions;
  readonly #members: readonly SupervisedWorker[];
  readonly #planes: WorkerPlanes;
  readonly #boundEndpoints = new Map<string, Endpoint>();
  /** The configuration in force, and the prepared one. Between reloads they are the same. */
  #currentOrder: Preparation | undefined;
  #preparedOrder: Preparation | undefined;
  #isStarted = false;
  #isClosed = false;
  #stopWatching = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#planes = new WorkerPlanes(options.dataPlane, options.workers);
    this.#members = Array.from({ length: options.workers }, (_, index) => this.#member(`worker ${index + 1}`));
    const { bans, decisions } = options.source;
    bans.watch((change) => {
      for (const member of this.#members) member.onBanChange(change);
    });
    decisions.watch((ip, held) => {
      for (const member of this.#members) member.onDecisions(ip, held);
    });
  }

  #member(name: string): SupervisedWorker {
    const { workers } = this.#options;
    return new SupervisedWorker({
      ...this.#options,
      name,
      settings: () => ({ workers, plane: this.#planes.planeOf(name) }),
      onEnded: (worker, how) => {
        if (worker.plane === 'linux' && isCrash(how)) this.#onCrash(name, how);
      },
      isReplaced: () => this.#isStarted && !this.#isClosed,
      orders: () => this.#orders(),
    });
  }

  get servingCount(): number {
    return this.#members.length - this.#unavailable().length;
  }

  readonly post: WorkerProcess['post'] = (message) => {
    for (const { worker } of this.#members) worker?.post(message);
  };

  /** Workers that have their copy of the state. */
  readonly currentWorkers = (): readonly WorkerProcess[] => this.#members.flatMap(({ current }) => current ?? []);

  /** The number of open connections that workers admitted without the coordinator, from their last reports. */
  readonly workerAdmittedCount = (service?: string): number =>
    this.#members.reduce((sum, { worker }) => sum + (worker?.admittedCount(service) ?? 0), 0);

  /** The number of refused connections in the tarpits of all workers. */
  get tarpitCount(): number {
    return this.#members.reduce((sum, { worker }) => sum + (worker?.tarpitCount ?? 0), 0);
  }

  dataPlane(): PlaneStatus {
    return this.#planes.status();
  }

  problems(): readonly string[] {
    return [...this.#unavailable(), ...this.#planes.problems()];
  }

  #unavailable(): readonly string[] {
    return this.#members.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: ${problem}`]));
  }

  async #orderAll(order: Order): Promise<readonly OrderResult[]> {
    return Promise.all(this.#members.map((member) => member.order(order)));
  }

  /**
   * Gives an order to all workers. Returns the problems of the first worker that has any. A worker that ends meanwhile
   * gets the order when it restarts.
   */
  async #problems(order: Order): Promise<readonly Problem[]> {
    return (await this.#orderAll(order)).find((problems) => problems && problems.length > 0) ?? [];
  }

  /**
   * Prepares a configuration in all workers. The first call starts them.
   * @throws Error when a worker cannot be started
   */
  async prepare(config: Daemon, policies: PolicyTexts): Promise<readonly Problem[]> {
    const order: Preparation = { kind: 'prepare', config: configOfWorker(config), policies };
    this.#preparedOrder = order;
    if (this.#isStarted) {
      const problems = await this.#problems(order);
      if (problems.length > 0) await this.discard();
      return problems;
    }
    for (const member of this.#members) member.fork();
    this.#stopWatching = watchHeartbeats((now, wasPaused) => {
      this.#options.source.bans.checkClock();
      for (const member of this.#members) member.examine(now, wasPaused);
    });
    const problems = await this.#problems(order);
    const lost = this.#members.find(({ worker }) => !worker);
    if (lost) throw new Error(`${lost.name}: ${lost.problem}`);
    this.#isStarted = true;
    for (const member of this.#members) member.markReady();
    return problems;
  }

  async discard(): Promise<void> {
    this.#preparedOrder = this.#currentOrder;
    await this.#orderAll({ kind: 'discard' });
  }

  async adopt(): Promise<void> {
    this.#currentOrder = this.#preparedOrder;
    await this.#orderAll({ kind: 'adopt' });
  }

  /** Listens in all workers. Rejects when one of them cannot. */
  async listen(listenerId: string, endpoint: Endpoint): Promise<Listener> {
    const bound = await this.#options.bind(endpoint);
    this.#boundEndpoints.set(listenerId, bound);
    const [problem] = await this.#problems({ kind: 'listen', listenerId, endpoint: bound });
    if (problem) {
      await this.#unlisten(listenerId);
      throw new Error(problem.message);
    }
    return { endpoint: bound, close: () => this.#unlisten(listenerId) };
  }

  async #unlisten(listenerId: string): Promise<void> {
    this.#boundEndpoints.delete(listenerId);
    await this.#orderAll({ kind: 'unlisten', listenerId });
  }

  /** Resolves when the workers have carried out their orders, or after a timeout. */
  async settle(): Promise<void> {
    await inTime(this.#orderAll({ kind: 'settle' }), daemonBounds.workerSettleMs, () => {});
  }

  async release(): Promise<void> {
    await this.#orderAll({ kind: 'release' });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatching();
    await Promise.all(this.#members.map((member) => member.close()));
  }

  #orders(): readonly Order[] {
    const orders: Order[] = [];
    if (this.#currentOrder) orders.push(this.#currentOrder, { kind: 'adopt' });
    if (this.#preparedOrder !== this.#currentOrder && this.#preparedOrder) orders.push(this.#preparedOrder);
    for (const [listenerId, endpoint] of this.#boundEndpoints) orders.push({ kind: 'listen', listenerId, endpoint });
    return orders;
  }

  /**
   * Handles a crash. After the second one, workers in the Linux plane are killed: the memory of their processes may be
   * damaged too.
   */
  #onCrash(name: string, signal: string): void {
    const { message, isSecond } = this.#planes.recordCrash(name, signal, performance.now());
    this.#options.fault(message);
    if (!isSecond) return;
    for (const { worker } of this.#members) if (worker?.plane === 'linux') worker.kill('it has to run on node:net');
  }
}
