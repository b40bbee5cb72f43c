/** Workers listen and serve; who is let in is decided here, and whatever is shared is kept here. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { clientOfPeer } from '../address/client.ts';
import { account, type Judge } from '../admission/admission.ts';
import type { Recorder } from '../admission/recorder.ts';
import type { AuditEvent } from '../audit/event.ts';
import type { Bans } from '../bans/ban.ts';
import type { CountryOf } from '../geo/database.ts';
import { type Accepting, exhaustion, type Front, wantedBy } from '../listen/front.ts';
import { createListeners, idOf, type Listen } from '../listen/listeners.ts';
import type { Knock, TrapTold } from '../listen/port-scan.ts';
import type { Peer } from '../plane/plane.ts';
import { connectionCeiling } from '../process/limits.ts';
import type { Deps } from '../session/context.ts';
import type { Tally } from '../stats/services.ts';
import type { Added, Ask } from './messages.ts';
import { Pool } from './pool.ts';
import type { News, RelayWorker } from './relay-worker.ts';

export interface WorkerFrontOptions {
  readonly workers: number;
  /** What relative paths in the configuration are relative to. */
  readonly folder: string;
  readonly judge: Judge;
  readonly failed: Deps['failed'];
  readonly fault: (message: string) => void;
  readonly record: Recorder;
  readonly write: (event: AuditEvent) => void;
  readonly countryOf: CountryOf;
  readonly tally: Tally;
  readonly knocked: TrapTold;
}

/** What one of the workers asks for; or who knocked, when the worker knew of no service and has ended it. */
type Arrived = { readonly ask: Ask; readonly worker: RelayWorker } | { readonly knock: Peer };

function add(tally: Tally, services: Readonly<Record<string, Added>>): void {
  for (const [service, added] of Object.entries(services)) {
    const counts = tally.of(service);
    counts.allowed += added.allowed;
    counts.blocked += added.blocked;
    counts.bytesIn += added.bytesIn;
    counts.bytesOut += added.bytesOut;
  }
}

/** Decides on what a worker asks, as of a connection of this process. */
function serving({ judge, record }: WorkerFrontOptions): Accepting<Arrived>['serve'] {
  const mostOfOne = connectionCeiling(); // each worker has descriptors of its own
  return (served) => (arrived) => {
    if ('knock' in arrived) return; // the service is new, and the worker had not heard of it
    const {
      ask: { place, ip, port, isNeighbour },
      worker,
    } = arrived;
    const client = clientOfPeer({ ip, port });
    const cut = (reason: string) => worker.cut(place, reason);
    const refuse = (refusal: string) => worker.refuse(place, refusal);
    if (worker.size >= mostOfOne) {
      account(client, served, 'capacity', record);
      refuse('capacity');
    } else if (isNeighbour)
      judge.reserve(
        client,
        served,
        () => cut('shutdown'),
        (free) => (free ? worker.give(place, free) : refuse('capacity')),
      );
    else
      judge.admit(client, served, (verdict) => {
        if ('refusal' in verdict) refuse(verdict.refusal);
        else worker.give(place, verdict.enter({ client, service: served.service.name, cut }));
      });
  };
}

/** The worker may not have heard yet that a service became a closed port. */
const trap = (knock: Knock) => (arrived: Arrived) => {
  if ('ask' in arrived) arrived.worker.refuse(arrived.ask.place, 'capacity');
  knock('ask' in arrived ? arrived.ask : arrived.knock);
};

type NewsOf<Kind extends News['kind']> = Extract<News, { kind: Kind }>;
type Takers = { readonly [Kind in News['kind']]: (news: NewsOf<Kind>, worker: RelayWorker) => void };

/** A ban is answered when workers have cut what it covers; new connections are refused from the moment it is taken. */
const enforcing =
  (pool: Pool) =>
  (bans: Bans): Bans => ({
    ...bans,
    add: async (request) => {
      const [outcome] = await Promise.all([bans.add(request), pool.settled()]);
      return outcome;
    },
  });

/** What is done with news that are about what the workers have in common. */
interface Common {
  readonly knocked: (at: string, knock: Peer) => void;
  /** Records that a worker dropped. */
  readonly lost: (records: number) => void;
  readonly exhausted: () => void;
}

function takersOf(
  { judge, failed, fault, write, countryOf, tally }: WorkerFrontOptions,
  { knocked, lost, exhausted }: Common,
): Takers {
  return {
    exhausted,
    failed: ({ failure }) => failed(clientOfPeer({ ip: failure.ip, port: 0 }), failure),
    event: ({ event }) => write({ ...event, country_code: countryOf(event.client_ip) }),
    fault: ({ message }) => fault(message),
    held: ({ place }, worker) => {
      const free = judge.hold(() => worker.cut(place, 'shutdown'));
      worker.keep(place, free);
    },
    knock: ({ at, ip, port }) => knocked(at, { ip, port }),
    counted: ({ services, held, dropped }, worker) => {
      add(tally, services);
      lost(dropped);
      worker.held = held;
    },
  };
}

/** The workers, and what is done with what arrives at each of their listeners. */
class Workers {
  readonly pool: Pool;
  dropped = 0;
  exhaustedAt = Number.NEGATIVE_INFINITY;
  readonly #accepting = new Map<string, (arrived: Arrived) => void>();

  constructor(options: WorkerFrontOptions) {
    const takers = takersOf(options, {
      knocked: (at, knock) => this.#accepting.get(at)?.({ knock }),
      lost: (records) => {
        this.dropped += records;
      },
      exhausted: () => {
        this.exhaustedAt = performance.now();
      },
    });
    this.pool = new Pool({
      ...options,
      ask: (ask, worker) => {
        const accept = this.#accepting.get(ask.at);
        if (accept) accept({ ask, worker });
        else worker.refuse(ask.place, 'capacity'); // its service has just been removed
      },
      news: (news, worker) => takers[news.kind](news as never, worker),
    });
  }

  listen: Listen<Arrived> = async (wanted) => {
    const at = idOf(wanted());
    this.#accepting.set(at, (arrived) => wanted().accept(arrived));
    const listener = await this.pool.listen(at, wanted().endpoint);
    const close = async () => {
      await listener.close();
      this.#accepting.delete(at);
    };
    return { ...listener, close };
  };
}

export function workerFront(options: WorkerFrontOptions): Front {
  const { workers: count, fault, tally, knocked } = options;
  const workers = new Workers(options);
  const { pool } = workers;
  const listeners = createListeners(workers.listen, fault);
  const accepting = { serve: serving(options), trap };
  return {
    prepare: (config) => pool.prepare(config),
    change: async (rules) => {
      try {
        await listeners.change(wantedBy(rules, tally, knocked, accepting));
      } catch (error) {
        pool.discard();
        throw error;
      }
    },
    adopt: () => pool.adopt(),
    endpointOf: listeners.endpointOf,
    ceiling: () => count * connectionCeiling(),
    enforced: enforcing(pool),
    recount: () => pool.settled(),
    tables: () => ({
      tarpit: { entries: pool.held, capacity: daemonBounds.tarpitConnections },
      workers: { entries: pool.live, capacity: count },
    }),
    problems: () => [...listeners.problems(), ...pool.problems(), ...exhaustion(workers)],
    isServing: () => pool.live > 0,
    dropped: () => workers.dropped,
    stop: async () => {
      await listeners.change([]);
      await pool.release();
    },
    close: () => pool.close(),
  };
}
