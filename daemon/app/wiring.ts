/** Creates the components of the daemon and connects them. Nothing listens yet. */
import { generateKeySync } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { openExporter } from '../../platform/otlp/endpoint.ts';
import { createAdmission } from '../admission/admission.ts';
import { ConnectionTable } from '../admission/connection-table.ts';
import { createGates, type Gates } from '../admission/gates/index.ts';
import { connectionRecorder, type RecorderOptions, recordBans } from '../admission/recorder.ts';
import type { Audit } from '../audit/event.ts';
import { createAudit } from '../audit/index.ts';
import type { Bans, ConfigurableBans } from '../bans/ban.ts';
import { createBans } from '../bans/index.ts';
import { type ConfigurableFailureTracker, createFailureTracker } from '../failures/index.ts';
import type { FailureTracker } from '../failures/tracker.ts';
import { isByHand, isOfLogs } from '../feed/alert.ts';
import { Backlog } from '../feed/backlog.ts';
import type { ThreatFeed } from '../feed/feed.ts';
import { Holdings } from '../feed/holdings.ts';
import { createFeed } from '../feed/index.ts';
import { type Push, startPush } from '../feed/push.ts';
import { DataPorts } from '../ftp-data/data-ports.ts';
import { createGeo } from '../geo/index.ts';
import { startIntake } from '../intake/index.ts';
import { startKernelBans } from '../kernel-bans/index.ts';
import { type Acceptor, localAcceptor } from '../listen/acceptor.ts';
import { withLists } from '../lists/enforced.ts';
import { type Lists, startLists } from '../lists/index.ts';
import { ListTable } from '../lists/table.ts';
import { LoginPlaces } from '../logins/places.ts';
import type { PlaneStatus } from '../plane/choice.ts';
import type { Connection, DataPlane } from '../plane/plane.ts';
import { log } from '../process/log.ts';
import { Publisher, type PublishSources } from '../publish/index.ts';
import type { SessionContext } from '../session/context.ts';
import { EndedMemory } from '../session/ended-memory.ts';
import { HeldBytes } from '../session/held-bytes.ts';
import { createResolver } from '../session/resolver.ts';
import { mostStalledBytes, StalledBytes } from '../session/stalled-bytes.ts';
import { createTarpit } from '../session/tarpit.ts';
import { createTally, type Tally } from '../stats/services.ts';
import { createCoordinator } from '../workers/coordinator/coordinator.ts';
import { bindOnce } from '../workers/coordinator/worker-pool.ts';
import { createComponent } from './component.ts';

export interface Surroundings<C extends Connection> {
  readonly now: () => number;
  readonly plane: DataPlane<C>;
  /** The data plane that relays connections: in this process, or in the workers. */
  readonly dataPlane: PlaneStatus;
  readonly protocolOf: (service: string) => string | undefined;
  /** Listening descriptors of the service manager, by service. */
  readonly inherited: Map<string, number>;
}

const feedComponent = ({ global: { data_dir } }: Daemon, holdings: Holdings, now: () => number, { fault }: Audit) =>
  createComponent<ThreatFeed>({
    name: 'threatfeed',
    section: ({ threatfeed }) => threatfeed,
    overlaps: true,
    start: async (config, previous) => {
      if (!config.threatfeed.enabled) await holdings.clear();
      else
        return createFeed({
          config,
          dataDir: data_dir,
          now,
          log: fault,
          recovered: log.info,
          holdings,
          isReplacement: previous !== undefined,
        });
    },
  });

function pushComponent({ global: { data_dir } }: Daemon, bans: Bans, decisions: Holdings, now: () => number) {
  const backlog = new Backlog({ dataDir: data_dir, bans, log: log.warning });
  return createComponent<Push>({
    name: 'push',
    section: ({ threatfeed }) => threatfeed,
    start: async (config) => {
      const { enabled, push } = config.threatfeed;
      return enabled && push ? startPush({ config, backlog, bans, decisions, now, log: log.warning }) : undefined;
    },
  });
}

const intakeComponent = (failures: ConfigurableFailureTracker, now: () => number) =>
  createComponent({
    name: 'intake',
    section: ({ intake, formats, bans: { ban_private } }) => ({ intake, formats, ban_private }),
    start: (config) => startIntake({ config, failures, now, log: log.warning }),
    reconfigure: (intake) => intake.readAgain(),
  });

const publishComponent = (sources: PublishSources) =>
  createComponent({
    name: 'publish',
    section: ({ bans: { publish }, global: { never_ban }, threatfeed: { enabled, fallback_action } }) => ({
      ...{ publish, never_ban, enabled, fallback_action },
    }),
    start: async (config) => (config.bans.publish === '' ? undefined : new Publisher(config, sources)),
  });

const listsComponent = ({ global: { data_dir } }: Daemon, table: ListTable, now: () => number, audit: Audit) =>
  createComponent<Lists>({
    name: 'lists',
    section: ({ lists }) => lists,
    start: (config) => startLists({ config, table, dataDir: data_dir, now, log: log.warning, audit }),
  });

/** What causes bans beside the services. `enforced`: the bans, with the entries of lists as bans. */
function createSources(
  config: Daemon,
  { bans, failures, audit }: { bans: ConfigurableBans; failures: ConfigurableFailureTracker; audit: Audit },
  now: () => number,
) {
  const listTable = new ListTable();
  const enforced = withLists(bans, listTable, now);
  const intake = intakeComponent(failures, now);
  return { listTable, enforced, intake, lists: listsComponent(config, listTable, now, audit) };
}

interface AcceptorSources<C extends Connection>
  extends Omit<
      SessionContext<C>,
      'tarpit' | 'endedMemory' | 'heldBytes' | 'stalledBytes' | 'audit' | 'resolve' | 'dataPorts' | 'fingerprintKey'
    >,
    RecorderOptions {
  readonly inherited: Map<string, number>;
  readonly dataPlane: PlaneStatus;
  readonly bans: Bans;
  readonly audit: Audit;
  readonly failures: FailureTracker;
  readonly tally: Tally;
  readonly decisions: Holdings;
  readonly connections: ConnectionTable;
  readonly feed: () => ThreatFeed | undefined;
  readonly failing: Gates['failing'];
  readonly places: LoginPlaces;
}

/** The number of processes that relay. */
const relayCount = ({ global: { workers } }: Daemon): number => workers || availableParallelism();

/**
 * Whether this process relays, without workers. With `auto`, one worker relays on the Linux plane: a crash in a call of C
 * then ends its connections and not the daemon. Workers cannot accept on sockets of the service manager.
 */
export const relaysAlone = (config: Daemon, plane: PlaneStatus, inherited: ReadonlyMap<string, number>): boolean =>
  relayCount(config) === 1 && (config.global.data_plane !== 'auto' || plane.name === 'net' || inherited.size > 0);

function createAcceptor<C extends Connection>(
  config: Daemon,
  { tally, failures, inherited, ...sources }: AcceptorSources<C>,
): Acceptor {
  const { audit } = sources;
  const known = Object.keys(config.services);
  for (const name of inherited.keys())
    if (!known.includes(name))
      log.warning(`the service manager has a socket for ${name}, and the configuration no such service`);
  const workers = relayCount(config);
  const sinks = { failures, audit, unattributed: { count: 0 } };
  const key = generateKeySync('hmac', { length: 256 });
  const fingerprintKey = () => key;
  if (relaysAlone(config, sources.dataPlane, inherited)) {
    const dataPorts = new DataPorts(sources.plane, audit.fault);
    const endedMemory = new EndedMemory();
    const context = {
      ...sources,
      fingerprintKey,
      dataPorts,
      resolve: createResolver(),
      tarpit: createTarpit(),
      endedMemory,
      heldBytes: new HeldBytes(endedMemory),
      stalledBytes: new StalledBytes(endedMemory, mostStalledBytes(workers)),
    };
    return localAcceptor(context, tally, sinks, inherited, sources.dataPlane);
  }
  if (inherited.size > 0) throw new Error('sockets of the service manager need global.workers: 1');
  const bind = bindOnce(sources.plane);
  return createCoordinator({
    ...sources,
    fingerprintKey,
    workers,
    bind,
    fault: audit.fault,
    lost: audit.lost,
    tally,
    sinks,
  });
}

async function openBans(config: Daemon, now: () => number, audit: Audit): Promise<ConfigurableBans> {
  try {
    return await createBans({ config, dataDir: config.global.data_dir, now, onFault: audit.fault });
  } catch (error) {
    await audit.close();
    throw error;
  }
}

function followBans(bans: Bans, connections: ConnectionTable, gates: Gates): void {
  bans.watch((change) => {
    if (change.kind === 'restored') connections.cutWhere(bans.covers, 'ban');
    else if (change.kind === 'banned') connections.cutCovered(change.ban.ip, 'ban', ({ ip }) => !bans.covers(ip));
    else if (change.why === 'lifted') gates.lifted(change.ban.ip);
  });
}

export async function createComponents<C extends Connection>(
  config: Daemon,
  { now, protocolOf, ...surroundings }: Surroundings<C>,
) {
  const exporter = await openExporter({ service: 'tcp-guard', env: process.env, log: log.warning });
  const audit = createAudit({ config, now, ...(exporter && { exporter }) });
  const bans = await openBans(config, now, audit);
  const failures = createFailureTracker({ config, bans, audit, now });
  const connections = new ConnectionTable();
  const geo = createGeo({ fault: audit.fault, replaced: log.info });
  const decisions = new Holdings(
    now,
    ({ prefix, decision: { origin, scenario: reason } }) =>
      !isByHand(origin) && bans.refusesEdge(prefix, { origin: isOfLogs(origin) ? 'threatfeed' : 'blocklist', reason }),
  );
  const push = pushComponent(config, bans, decisions, now);
  const feed = feedComponent(config, decisions, now, audit);
  const recorder = { write: audit.record, countryOf: geo.countryOf, now };
  const record = connectionRecorder(recorder);
  const sources = createSources(config, { bans, failures, audit }, now);
  const { enforced } = sources;
  const gates = createGates({
    connections,
    bans: enforced,
    feed: feed.current,
    bypassed: ({ service, client }) => record(service, client, 'allowed', 'threatfeed_bypass'),
    countryOf: geo.countryOf,
    now: () => performance.now(),
  });
  followBans(enforced, connections, gates);
  recordBans(bans, protocolOf, recorder);
  const tally = createTally();
  const shared = { bans: enforced, decisions, tally, record, now };
  const acceptor = createAcceptor(config, {
    ...surroundings,
    ...shared,
    admission: createAdmission({ gates, connections, record }),
    failed: (client, failure) => {
      gates.failed(client);
      failures.fail(failure);
    },
    places: new LoginPlaces({ isFailing: gates.isFailing, isBanned: enforced.covers }),
    audit,
    failures,
    connections,
    feed: feed.current,
    failing: gates.failing,
    ...recorder,
  });
  const kernelBans = startKernelBans(config, {
    ...shared,
    account: (count) => feed.current()?.account({ isIpv6: false, origin: '', remediation: 'ban' }, count),
    endpointOf: acceptor.endpointOf,
    fault: audit.fault,
  });
  const publish = publishComponent({ bans: enforced, decisions, now, fault: audit.fault });
  const rest = { gates, acceptor, tally, kernelBans, publish };
  return { audit, bans, failures, connections, geo, feed, push, ...rest, ...sources };
}

export type Components = Awaited<ReturnType<typeof createComponents>>;
