/** The coordinator decides for the workers, and keeps the state that they share. */
import { clientOfPeer } from '../../address/client.ts';
import type { Admission } from '../../admission/admission.ts';
import type { ConnectionTable } from '../../admission/connection-table.ts';
import type { Recorder } from '../../admission/recorder.ts';
import type { Rules } from '../../admission/rules.ts';
import type { AuditEvent } from '../../audit/event.ts';
import type { Bans } from '../../bans/ban.ts';
import type { ThreatFeed } from '../../feed/feed.ts';
import type { CountryOf } from '../../geo/database.ts';
import {
  type Acceptor,
  type ConnectionHandlers,
  exhaustionProblems,
  servicesOf,
  wantedListenersOf,
} from '../../listen/acceptor.ts';
import { createListeners, idOf, type Listen } from '../../listen/listeners.ts';
import type { ProbeSinks } from '../../listen/port-scan.ts';
import type { LoginPlaces } from '../../logins/places.ts';
import { connectionCeiling } from '../../process/limits.ts';
import type { SharedContext } from '../../session/context.ts';
import { tarpitCapacity } from '../../session/tarpit.ts';
import { countNames } from '../../stats/counts.ts';
import type { Tally } from '../../stats/services.ts';
import type { AddedCounts, AdmissionRequest } from '../link/messages.ts';
import { unpack } from '../link/records.ts';
import { Capacity } from './capacity.ts';
import { CountedClients } from './counted-clients.ts';
import { KnownServices } from './known-services.ts';
import type { ReplicaSource } from './replication.ts';
import { type RequestOrProbe, serveHandler, trapHandler } from './requests.ts';
import { Pool, type PoolOptions } from './worker-pool.ts';
import type { Report, WorkerProcess } from './worker-process.ts';

interface CoordinatorOptions extends ReplicaSource, Pick<PoolOptions, 'bind' | 'dataPlane'> {
  readonly workers: number;
  readonly admission: Admission;
  readonly failed: SharedContext['failed'];
  readonly fingerprintKey: SharedContext['fingerprintKey'];
  readonly places: LoginPlaces;
  readonly fault: (message: string) => void;
  /** Called with the number of records that a worker dropped. */
  readonly lost: (count: number) => void;
  readonly record: Recorder;
  readonly write: (event: AuditEvent) => void;
  readonly countryOf: CountryOf;
  readonly tally: Tally;
  readonly sinks: ProbeSinks;
  readonly connections: Pick<ConnectionTable, 'enter' | 'size' | 'occupiedSlotsOn' | 'watch' | 'countOf' | 'all'>;
  readonly feed: () => ThreatFeed | undefined;
}

function addCounts(tally: Tally, services: Readonly<Record<string, AddedCounts>>): void {
  for (const [service, added] of Object.entries(services)) {
    const counts = tally.of(service);
    for (const name of countNames) counts[name] += added[name];
  }
}

type ReportOf<Kind extends Report['kind']> = Extract<Report, { kind: Kind }>;
type ReportHandlers = { readonly [Kind in Report['kind']]: (report: ReportOf<Kind>, worker: WorkerProcess) => void };

/**
 * `add` resolves when the workers have cut the banned connections. `remove` resolves when the workers accept the
 * address again. Both wait for the workers at most `workerSettleMs`.
 */
const withEnforcement =
  (pool: Pool) =>
  (bans: Bans): Bans => ({
    ...bans,
    add: async (request) => {
      const [outcome] = await Promise.all([bans.add(request), pool.settle()]);
      return outcome;
    },
    remove: async (ip) => {
      const [lifted] = await Promise.all([bans.remove(ip), pool.settle()]);
      return lifted;
    },
  });

class Workers {
  readonly pool: Pool;
  readonly capacity: Capacity;
  readonly clients: CountedClients;
  readonly services = new KnownServices();
  readonly serve: ConnectionHandlers<RequestOrProbe>['serve'];
  exhaustedAt = Number.NEGATIVE_INFINITY;
  readonly #options: CoordinatorOptions;
  readonly #handlers = new Map<string, (arrived: RequestOrProbe) => void>();

  constructor(options: CoordinatorOptions) {
    this.#options = options;
    this.pool = new Pool({
      ...options,
      onRequest: this.#onRequest,
      onReport: (report, worker) => this.#onReport[report.kind](report as never, worker),
      source: options,
      onCurrent: (worker) => {
        worker.post({ kind: 'counted', keys: this.clients.keys() });
        this.capacity.onCurrent(worker);
      },
    });
    this.capacity = new Capacity({
      connections: options.connections,
      workers: this.pool.currentWorkers,
      count: options.workers,
      ceiling: connectionCeiling,
    });
    this.clients = new CountedClients({
      connections: options.connections,
      count: options.workers,
      post: this.pool.post,
      settle: () => this.pool.settle(),
    });
    const { admission, record } = options;
    this.serve = serveHandler({
      admission,
      record,
      capacity: this.capacity,
      clients: this.clients,
      services: this.services,
    });
  }

  readonly #onReport: ReportHandlers = {
    exhausted: () => {
      this.exhaustedAt = performance.now();
    },
    failed: ({ failure }) => {
      const client = clientOfPeer({ ip: failure.ip, port: 0 });
      this.#options.failed(client, failure);
      this.pool.post({ kind: 'failing', keys: [client.key] });
    },
    login: ({ number, ip, port, isJudged, service, user, most, windowMs }, worker) => {
      const { places } = this.#options;
      const login = { client: clientOfPeer({ ip, port }), service, user, most, windowMs };
      const grant = () => worker.post({ kind: 'place', number });
      worker.registerLogin(number, isJudged ? places.claim(login) : places.request(login, grant));
    },
    entered: ({ slot, service, ip, port }, worker) => {
      const cut = (reason: string) => worker.cut(slot, reason);
      const client = clientOfPeer({ ip, port });
      const leave = this.#options.connections.enter({ client, service, cut });
      worker.registerSlot(slot, this.services.enterCurrent(service, this.clients.leaving(client, leave)));
      this.clients.entered(client, service);
    },
    spent: ({ used }, worker) => this.capacity.onSpent(worker, used),
    records: (message) => unpack(message, this.#options.countryOf, this.#options.write),
    fault: ({ message }) => this.#options.fault(message),
    held: ({ slot }, worker) => {
      const free = this.#options.admission.reserveDescriptor(() => worker.cut(slot, 'shutdown'));
      worker.registerSlot(slot, free);
    },
    probe: ({ listenerId, peer }) => this.#handlers.get(listenerId)?.({ probe: peer }),
    counted: ({ services, checked, admittedCounts, tarpitCount, dropped }, worker) => {
      addCounts(this.#options.tally, services);
      for (const [outcome, count] of checked) this.#options.feed()?.account(outcome, count);
      this.#options.lost(dropped);
      worker.tarpitCount = tarpitCount;
      worker.admittedCounts = new Map(Object.entries(admittedCounts));
    },
  };

  /** Lets the workers admit connections under the rules. */
  apply(rules: Rules): void {
    this.clients.apply(rules);
    this.capacity.apply(rules);
  }

  /** Handles a request. Its service may have been replaced or removed since: see `KnownServices`. */
  readonly #onRequest = (request: AdmissionRequest, worker: WorkerProcess) => {
    const served = this.services.of(request);
    const accept = served ? this.serve(served) : !request.isData && this.#handlers.get(request.listenerId);
    if (accept) accept({ request, worker });
    else worker.refuseSlot(request.slot, 'capacity', true);
  };

  listen: Listen<RequestOrProbe> = async (wanted) => {
    const listenerId = idOf(wanted());
    this.#handlers.set(listenerId, (arrived) => wanted().accept(arrived));
    const listener = await this.pool.listen(listenerId, wanted().endpoint);
    const close = async () => {
      await listener.close();
      this.#handlers.delete(listenerId);
    };
    return { ...listener, close };
  };
}

export function createCoordinator(options: CoordinatorOptions): Acceptor {
  const { workers: count, fault, tally, sinks } = options;
  const workers = new Workers(options);
  const { pool } = workers;
  const listeners = createListeners(workers.listen, fault);
  const handlers = { serve: workers.serve, trap: trapHandler };
  let inForce: Rules | undefined;
  return {
    prepare: (config, policies) => pool.prepare(config, policies),
    change: async (rules) => {
      await workers.capacity.suspend(); // the new limits may be lower, or apply to each client
      try {
        await listeners.change(wantedListenersOf(rules, tally, sinks, handlers));
      } catch (error) {
        await pool.discard();
        if (inForce) workers.apply(inForce);
        throw error;
      }
      inForce = rules;
      workers.services.replace(servicesOf(rules, tally));
    },
    adopt: async () => {
      await pool.adopt();
      if (inForce) workers.apply(inForce);
    },
    endpointOf: listeners.endpointOf,
    ceiling: () => count * connectionCeiling(),
    enforced: withEnforcement(pool),
    refreshCounts: () => pool.settle(),
    workerAdmittedCount: pool.workerAdmittedCount,
    tables: (maxConnections) => ({
      tarpit: { entries: pool.tarpitCount, capacity: tarpitCapacity(maxConnections) },
      workers: { entries: pool.servingCount, capacity: count },
    }),
    dataPlane: () => pool.dataPlane(),
    unattributed: () => sinks.unattributed.count,
    problems: () => [...listeners.problems(), ...pool.problems(), ...exhaustionProblems(workers)],
    isServing: () => pool.servingCount > 0,
    stop: async () => {
      await listeners.change([]);
      await workers.capacity.suspend();
      await pool.release();
    },
    close: () => pool.close(),
  };
}
