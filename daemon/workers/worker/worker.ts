/** A worker accepts and serves connections. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Problem } from '../../../contract/load/index.ts';
import type { Served } from '../../admission/admission.ts';
import { usesCountries } from '../../admission/gates/geo.ts';
import { problemAt, readPolicies } from '../../admission/policies.ts';
import { compileRules, type Rules } from '../../admission/rules.ts';
import { DataPorts } from '../../ftp-data/data-ports.ts';
import { createGeo, noGeoChange } from '../../geo/index.ts';
import { idOf } from '../../listen/listeners.ts';
import type { Connection, DataPlane, Listener } from '../../plane/plane.ts';
import { ownAddresses } from '../../process/limits.ts';
import type { SessionContext } from '../../session/context.ts';
import { EndedMemory } from '../../session/ended-memory.ts';
import { HeldBytes } from '../../session/held-bytes.ts';
import { createResolver } from '../../session/resolver.ts';
import { serveConnection } from '../../session/serve.ts';
import { mostStalledBytes, StalledBytes } from '../../session/stalled-bytes.ts';
import { createTarpit } from '../../session/tarpit.ts';
import type { Link } from '../link/link.ts';
import type { FromWorker, Order, ToWorker, WorkerSettings } from '../link/messages.ts';
import { Allowance } from './allowance.ts';
import { createCounting } from './counting.ts';
import { FailingClients } from './failing-clients.ts';
import { createLocalGates } from './local-gates.ts';
import { RecordQueue } from './record-queue.ts';
import { RemoteAdmission } from './remote-admission.ts';
import { RemotePlaces } from './remote-places.ts';
import { Replica } from './replica.ts';

type ServedAt = ReadonlyMap<string, Served>;
/** The problems of an order. Undefined without problems. */
type OrderResult = readonly Problem[] | undefined;

type ServingSettings = Omit<WorkerSettings, 'plane'>;

class Serving<C extends Connection> {
  readonly #link: Link<FromWorker>;
  readonly #plane: DataPlane<C>;
  readonly #admission: RemoteAdmission;
  readonly #counting = createCounting();
  readonly #records: RecordQueue;
  readonly #replica = new Replica(Date.now);
  readonly #failingClients = new FailingClients(() => performance.now());
  readonly #countedClients = new Set<string>();
  readonly #places: RemotePlaces;
  readonly #allowance = new Allowance();
  readonly #geo = createGeo({ fault: (message) => this.#fault(message) });
  #geoChange = noGeoChange;
  readonly #context: SessionContext<C>;
  readonly #listeners = new Map<string, Listener>();
  /** The current and the prepared services, by listener. A new listener may need the prepared ones before `adopt`. */
  #currentServices: ServedAt = new Map();
  #preparedServices: ServedAt = new Map();
  /** The current and the prepared rules. A new worker has no current ones before `adopt`. */
  #currentRules: Rules | undefined;
  #preparedRules: Rules | undefined;
  #fingerprintKey: KeyObject | undefined;
  /** Time of the last exhaustion that was reported. */
  #reportedExhaustedAt = Number.NEGATIVE_INFINITY;
  /** The last order. Each order waits for the one before it. */
  #lastOrder: Promise<void> = Promise.resolve();

  constructor(link: Link<FromWorker>, { workers }: ServingSettings, plane: DataPlane<C>) {
    this.#link = link;
    this.#plane = plane;
    this.#records = new RecordQueue(link, Date.now);
    const { record } = this.#records;
    const runLocalGates = createLocalGates({
      replica: this.#replica,
      failing: this.#failingClients,
      allowance: this.#allowance,
      counted: this.#countedClients,
      workers,
      geo: this.#geo,
      account: this.#counting.account,
      bypassed: ({ service, client }) => record(service, client, 'allowed', 'threatfeed_bypass'),
    });
    this.#admission = new RemoteAdmission({ link, runLocalGates, allowance: this.#allowance, record });
    this.#places = new RemotePlaces({ link, failing: this.#failingClients });
    const endedMemory = new EndedMemory();
    this.#context = {
      plane,
      places: this.#places,
      resolve: createResolver(),
      admission: this.#admission,
      dataPorts: new DataPorts(plane, this.#fault, workers),
      tarpit: createTarpit(workers),
      endedMemory,
      heldBytes: new HeldBytes(endedMemory),
      stalledBytes: new StalledBytes(endedMemory, mostStalledBytes(workers)),
      failed: ({ key }, failure) => {
        link.post({ kind: 'failed', failure });
        this.#addFailing(key);
      },
      audit: { fault: this.#fault },
      record,
      fingerprintKey: () => this.#fingerprintKey,
    };
    setInterval(this.#reportCounts, daemonBounds.workerCountMs);
    this.#beat();
    setInterval(this.#beat, daemonBounds.workerHeartbeatMs.every);
  }

  #addFailing(key: string): void {
    this.#failingClients.add(key);
    this.#places.report(key);
  }

  #beat = () => this.#link.post({ kind: 'beat' });

  #fault = (message: string) => this.#link.post({ kind: 'fault', message });

  #reportCounts = () => {
    const counted = this.#counting.added({
      tarpitCount: this.#context.tarpit.size(),
      admittedCounts: this.#allowance.counts(),
      dropped: this.#records.droppedCount,
    });
    if (counted) this.#link.post({ kind: 'counted', ...counted });
    const { exhaustedAt } = this.#plane.counters();
    if (exhaustedAt > this.#reportedExhaustedAt) this.#link.post({ kind: 'exhausted' });
    this.#reportedExhaustedAt = exhaustedAt;
  };

  #servedOn(listenerId: string): Served | undefined {
    return this.#currentServices.get(listenerId) ?? this.#preparedServices.get(listenerId);
  }

  readonly #handlers: { readonly [Kind in ToWorker['kind']]: (item: Extract<ToWorker, { kind: Kind }>) => void } = {
    fingerprint_key: ({ key }) => {
      this.#fingerprintKey = createSecretKey(key, 'base64');
    },
    verdict: (message) => this.#admission.decide(message),
    banned: (message) => {
      this.#replica.apply(message);
      const rules = this.#currentRules ?? this.#preparedRules;
      this.#allowance.cutCovered(message.ip, ({ address }) => rules?.neverBan.has(address) === true);
    },
    unbanned: (message) => this.#replica.apply(message),
    decisions: (message) => this.#replica.apply(message),
    failing: ({ keys }) => {
      for (const key of keys) this.#addFailing(key);
    },
    counted: ({ keys }) => {
      for (const key of keys) {
        this.#countedClients.add(key);
        this.#admission.reportClient(key);
      }
    },
    uncounted: ({ key }) => void this.#countedClients.delete(key),
    place: ({ number }) => this.#places.granted(number),
    allowed: (message) => this.#allowance.apply(message),
    full: (message) => this.#allowance.apply(message),
    cut: ({ slot, reason }) => this.#admission.cut(slot, reason),
    order: ({ number, order }) => {
      this.#lastOrder = this.#lastOrder.then(async () => {
        const problems = (await this.#carryOut(order)) ?? [];
        this.#link.post({ kind: 'done', number, problems });
      });
    },
  };

  onMessage = (item: ToWorker): void => this.#handlers[item.kind](item as never);

  async #carryOut(order: Order): Promise<OrderResult> {
    try {
      return await this.#orders[order.kind](order as never);
    } catch (error) {
      return [problemAt('', (error as Error).message)];
    }
  }

  readonly #orders: {
    readonly [Kind in Order['kind']]: (order: Extract<Order, { kind: Kind }>) => Promise<OrderResult>;
  } = {
    prepare: async ({ config, policies }) => {
      const { guards, problems } = await readPolicies(config, async (path) => Buffer.from(policies[path] ?? ''));
      if (problems.length > 0) return problems;
      // An unreadable database is accepted: until it can be read, the coordinator decides by country.
      this.#geoChange = await this.#geo.prepare(usesCountries(config) ? config.global.geoip_db : '', true);
      this.#geoChange.begin(); // already now, because new services listen before the configuration is adopted
      const connectionCeiling = Number.POSITIVE_INFINITY; // the coordinator enforces the limit
      this.#preparedRules = compileRules(config, { ownAddresses: ownAddresses(), connectionCeiling, guards });
      this.#preparedServices = this.#servedBy(this.#preparedRules);
    },
    adopt: async () => {
      this.#currentRules = this.#preparedRules;
      this.#currentServices = this.#preparedServices;
      this.#geoChange.complete();
      this.#geoChange = noGeoChange;
    },
    discard: async () => {
      this.#preparedRules = this.#currentRules;
      this.#preparedServices = this.#currentServices;
      this.#geoChange.revert();
      this.#geoChange = noGeoChange;
    },
    listen: async ({ listenerId, endpoint }) => {
      const accept = (connection: C) => this.#accept(listenerId, connection);
      const unattributed = () => {
        if (!this.#servedOn(listenerId)) this.#link.post({ kind: 'probe', listenerId });
      };
      this.#listeners.set(listenerId, await this.#plane.listen(endpoint, { accept, unattributed, fault: this.#fault }));
    },
    unlisten: async ({ listenerId }) => {
      await this.#listeners.get(listenerId)?.close();
      this.#listeners.delete(listenerId);
    },
    release: async () => {
      this.#context.tarpit.close();
    },
    withdraw: async () => {
      this.#admission.withdraw();
      this.#reportCounts();
    },
    settle: async () => {
      this.#reportCounts();
    },
    end: async () => {
      const until = performance.now() + daemonBounds.workerEndMs / 2;
      while (this.#plane.counters().open > 0 && performance.now() < until) await sleep(5);
      this.#reportCounts();
    },
  };

  #servedBy(rules: Rules): ServedAt {
    const entries = [...rules.services.values()].map((service): [string, Served] => [
      idOf({ name: service.name, endpoint: service.listen }),
      { service, rules, counts: this.#counting.of(service.name) },
    ]);
    return new Map(entries);
  }

  #accept(listenerId: string, connection: C): void {
    const served = this.#servedOn(listenerId);
    if (served) serveConnection(connection, served, this.#context);
    else {
      connection.end('reset');
      const { ip, port } = connection.remote;
      this.#link.post({ kind: 'probe', listenerId, peer: { ip, port } });
    }
  }
}

/** Starts a worker. Returns the handler of the coordinator's messages. */
export function startServing<C extends Connection>(
  link: Link<FromWorker>,
  settings: ServingSettings,
  plane: DataPlane<C>,
): (item: ToWorker) => void {
  return new Serving(link, settings, plane).onMessage;
}
