/**
 * Gives free slots to the workers in advance: they then admit most connections without the coordinator. Withdraws the
 * slots before a limit of open connections is reached, so limits stay exact. Slots that a worker does not return in
 * time count as occupied.
 */
import { isDeepStrictEqual } from 'node:util';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Served } from '../../admission/admission.ts';
import type { ConnectionTable } from '../../admission/connection-table.ts';
import type { Refusal } from '../../admission/gates/gate.ts';
import type { Rules } from '../../admission/rules.ts';
import { inTime } from '../../time/timer.ts';
import { isAlwaysRequested } from '../link/client-share.ts';
import type { CapacityMessage, Order } from '../link/messages.ts';

/** A worker with a copy of all bans and decisions. */
export interface AllowedWorker {
  /** The largest number of open connections that the worker may admit without the coordinator. */
  allowedConnections: number;
  /** The number of the worker's occupied slots that the coordinator has recorded. */
  readonly occupiedSlots: number;
  readonly post: (message: CapacityMessage) => void;
  /** Resolves when the worker has carried out the order, or has ended. */
  readonly order: (order: Order) => Promise<unknown>;
}

interface CapacitySources {
  readonly connections: Pick<ConnectionTable, 'size' | 'occupiedSlotsOn' | 'watch'>;
  readonly workers: () => readonly AllowedWorker[];
  readonly count: number;
  /** Reads the number of connections that the descriptor limit allows each process, from a file. */
  readonly ceiling: () => number;
}

/** The part of a limit that all workers together get at a time. */
const givenShare = 1 / 4;
/**
 * Slots are given only if at most this part of a limit is occupied or given afterwards. The others are requested one by one,
 * so that no worker lacks those that another one does not use. One worker gets all of them, except those of the tarpit, whose
 * connections take a slot without a request: see `tarpitShare`.
 */
function usedShareOf(workers: number, { services }: Rules): number {
  const hasTarpit = [...services.values()].some(({ config }) => config.response.mode === 'tarpit');
  return workers === 1 && !hasTarpit ? 1 : 1 - daemonBounds.tarpitShare;
}

type Full = Extract<CapacityMessage, { kind: 'full' }>;
type Service = Served['service'];

export class Capacity {
  readonly #sources: CapacitySources;
  #rules: Rules | undefined;
  /** The result of `ceiling`, cached because each decision needs it. */
  #ceiling: number;
  /** Services whose connections workers may admit without the coordinator. */
  #services: readonly Service[] = [];
  #slotsPerWorker = 0;
  #usedShare = 0;
  /** Workers that are returning their slots. */
  readonly #returning = new Map<AllowedWorker, Promise<void>>();
  #withdrawing: Promise<void> | undefined;
  #isUpdateDue = false;
  #reachedLimits: Full = { kind: 'full', isFull: false, services: [] };

  constructor(sources: CapacitySources) {
    this.#sources = sources;
    this.#ceiling = sources.ceiling();
    sources.connections.watch(this.onChange);
  }

  apply(rules: Rules): void {
    const { count, ceiling } = this.#sources;
    this.#rules = rules;
    this.#ceiling = ceiling();
    this.#usedShare = usedShareOf(count, rules);
    this.#services = [...rules.services.values()].filter(
      (service) => !isAlwaysRequested(service, rules, count) && service.maxConnections * 2 >= rules.maxConnections,
    );
    const most = Math.min(rules.maxConnections / count, this.#ceiling) * givenShare;
    this.#slotsPerWorker = this.#services.length === 0 ? 0 : Math.floor(most);
    this.#update();
  }

  /** Gives no slots until `apply`. Resolves when the workers have returned their slots, or after a timeout. */
  async suspend(): Promise<void> {
    this.#slotsPerWorker = 0;
    await this.#withdraw();
  }

  /** Sends the reached limits to a worker that has received the replica. Gives it slots if they are free. */
  onCurrent(worker: AllowedWorker): void {
    worker.post(this.#reachedLimits);
    this.#update();
  }

  /**
   * Calls back with the limit that is reached, or undefined. Calls back before it returns, unless workers must return
   * their slots first.
   */
  checkLimit(served: Served, worker: AllowedWorker, decide: (limit: Refusal | undefined) => void): void {
    const limit = this.#limitIfAllUsed(served, worker);
    if (!this.#withdrawing && (!limit || this.#givenSlots() === 0)) decide(limit);
    else void this.#withdraw().then(() => decide(this.#limitIfAllUsed(served, worker)));
  }

  /**
   * Handles a worker that has used all of its `used` slots. Gives it as many as at first, if they are free: the coordinator
   * needs no record of the connections on them.
   */
  onSpent(worker: AllowedWorker, used: number): void {
    const isCurrent = used === worker.allowedConnections && !this.#returning.has(worker);
    if (isCurrent && this.#slotsPerWorker > 0 && this.#fits(worker)) this.#give(worker);
  }

  #givenSlots(): number {
    return this.#sources.workers().reduce((sum, { allowedConnections: allowed }) => sum + allowed, 0);
  }

  /** The limit that would be reached if the workers used all of their slots. */
  #limitIfAllUsed({ service, rules }: Served, worker: AllowedWorker): Refusal | undefined {
    const { connections } = this.#sources;
    const given = this.#givenSlots();
    const isFull =
      connections.size() + given >= rules.maxConnections ||
      worker.occupiedSlots + worker.allowedConnections >= this.#ceiling;
    if (isFull) return 'capacity';
    return connections.occupiedSlotsOn(service.name) + given >= service.maxConnections ? 'service_capacity' : undefined;
  }

  /** Whether a worker can get slots without coming near a limit. */
  #fits(worker: AllowedWorker): boolean {
    const { connections } = this.#sources;
    const usedShare = this.#usedShare;
    const added = this.#givenSlots() + this.#slotsPerWorker;
    return (
      worker.occupiedSlots + worker.allowedConnections + this.#slotsPerWorker <= this.#ceiling &&
      connections.size() + added <= (this.#rules?.maxConnections ?? 0) * usedShare &&
      this.#services.every(
        ({ name, maxConnections }) => connections.occupiedSlotsOn(name) + added <= maxConnections * usedShare,
      )
    );
  }

  /** Withdraws all slots. Resolves when all workers have returned them, or after a timeout. */
  #withdraw(): Promise<void> {
    this.#withdrawing ??= this.#withdrawAll();
    return this.#withdrawing;
  }

  async #withdrawAll(): Promise<void> {
    const returned = Promise.all(this.#sources.workers().map((worker) => this.#return(worker)));
    await inTime(returned, daemonBounds.workerSettleMs, () => {});
    this.#withdrawing = undefined;
  }

  #return(worker: AllowedWorker): Promise<void> {
    if (worker.allowedConnections === 0) return Promise.resolve();
    const returning = this.#returning.get(worker) ?? this.#withdrawFrom(worker);
    this.#returning.set(worker, returning);
    return returning;
  }

  async #withdrawFrom(worker: AllowedWorker): Promise<void> {
    await worker.order({ kind: 'withdraw' });
    this.#returning.delete(worker);
    worker.allowedConnections = 0;
    this.onChange();
  }

  /** Call it after connections have come or gone. The update follows in the next turn of the event loop. */
  readonly onChange = (): void => {
    if (this.#isUpdateDue) return;
    this.#isUpdateDue = true;
    setImmediate(() => {
      this.#isUpdateDue = false;
      this.#update();
    });
  };

  #update(): void {
    if (!this.#rules) return;
    this.#report(this.#rules);
    const given = this.#givenSlots();
    if (given > 0 && this.#sources.connections.size() + given > this.#rules.maxConnections) void this.#withdraw();
    if (this.#slotsPerWorker === 0 || this.#withdrawing) return;
    for (const worker of this.#sources.workers())
      if (worker.allowedConnections === 0 && this.#fits(worker)) this.#give(worker);
  }

  #give(worker: AllowedWorker): void {
    worker.allowedConnections += this.#slotsPerWorker;
    const services = this.#services.map(({ name }) => name);
    worker.post({ kind: 'allowed', most: worker.allowedConnections, services });
  }

  #report({ maxConnections, services }: Rules): void {
    const { connections } = this.#sources;
    const isReached = (service: Service) => connections.occupiedSlotsOn(service.name) >= service.maxConnections;
    const full: Full = {
      kind: 'full',
      isFull: connections.size() >= maxConnections,
      services: [...services.values()].filter(isReached).map(({ name }) => name),
    };
    if (isDeepStrictEqual(full, this.#reachedLimits)) return;
    this.#reachedLimits = full;
    for (const worker of this.#sources.workers()) worker.post(full);
  }
}
