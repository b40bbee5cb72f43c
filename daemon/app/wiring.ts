/** The parts of the daemon, joined. Nothing listens yet. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Client } from '../address/client.ts';
import { createJudge } from '../admission/admission.ts';
import { createConnections } from '../admission/connection-table.ts';
import { createGates } from '../admission/gates/index.ts';
import { connectionRecorder, recordBans } from '../admission/recorder.ts';
import type { Audit } from '../audit/event.ts';
import { createAudit } from '../audit/index.ts';
import type { Bans } from '../bans/ban.ts';
import { createBans } from '../bans/index.ts';
import { createFailureTracker } from '../failures/index.ts';
import type { Failure, FailureTracker } from '../failures/tracker.ts';
import { createFeed } from '../feed/index.ts';
import { startPush } from '../feed/push.ts';
import type { CountryOf } from '../geo/database.ts';
import { createGeo } from '../geo/index.ts';
import { startIntake } from '../intake/index.ts';
import { type Front, localFront } from '../listen/front.ts';
import type { DataPlane } from '../plane/plane.ts';
import type { Deps } from '../session/context.ts';
import { createTarpit } from '../session/tarpit.ts';
import { createTally, type Tally } from '../stats/services.ts';
import { workerCount } from '../workers/count.ts';
import { workerFront } from '../workers/front.ts';
import { createPart } from './component.ts';

export interface Surroundings {
  readonly now: () => number;
  readonly plane: DataPlane;
  /** The protocol of a service now. */
  readonly protocolOf: (service: string) => string | undefined;
  /** What relative paths in the configuration are relative to. */
  readonly folder: string;
}

const log = (message: string): void => void process.stderr.write(`tcp-guard: ${message}\n`);

/** Decisions of a service, as long as the configuration asks for them. */
const feedPart = ({ global: { data_dir } }: Daemon, now: () => number) =>
  createPart({
    name: 'threatfeed',
    section: ({ threatfeed }) => threatfeed,
    start: async (config) =>
      config.threatfeed.enabled ? createFeed({ config, dataDir: data_dir, now, log }) : undefined,
  });

/** Own bans for that service. */
const pushPart = ({ global: { data_dir } }: Daemon, bans: Bans, now: () => number) =>
  createPart({
    name: 'push',
    section: ({ threatfeed }) => threatfeed,
    start: async (config) => {
      const { enabled, push } = config.threatfeed;
      return enabled && push ? startPush({ config, dataDir: data_dir, bans, now, log }) : undefined;
    },
  });

/** Events of gateways that feed the failure tracker. */
const intakePart = (failures: FailureTracker, now: () => number) =>
  createPart({
    name: 'intake',
    section: ({ intake }) => intake,
    start: async (config) => startIntake({ config, failures, now, log }),
  });

interface FrontSources extends Omit<Deps, 'tarpit' | 'audit'> {
  readonly folder: string;
  readonly audit: Audit;
  readonly failures: FailureTracker;
  readonly tally: Tally;
  readonly countryOf: CountryOf;
}

/** This process serves connections itself, unless workers are asked for. */
function createFront(config: Daemon, { tally, failures, ...sources }: FrontSources): Front {
  const { audit } = sources;
  const workers = workerCount(config);
  const knocked = { failures, audit };
  if (workers === 1) return localFront({ ...sources, tarpit: createTarpit() }, tally, knocked);
  return workerFront({ ...sources, workers, fault: audit.fault, write: audit.record, tally, knocked });
}

export async function createParts(config: Daemon, { now, plane, protocolOf, folder }: Surroundings) {
  const audit = createAudit({ config, now });
  const bans = await createBans({ config, dataDir: config.global.data_dir, now, onFault: audit.fault });
  const failures = createFailureTracker({ config, bans, audit, now });
  const connections = createConnections();
  const geo = createGeo(audit.fault);
  const feed = feedPart(config, now);
  const monotonic = () => performance.now();
  const recorder = { write: audit.record, countryOf: geo.countryOf, now };
  const record = connectionRecorder(recorder);
  const gates = createGates({
    connections,
    bans,
    feed: feed.current,
    bypassed: ({ service, client }) => record(service, client, 'allowed', 'threatfeed_bypass'),
    countryOf: geo.countryOf,
    now: monotonic,
  });
  bans.watch(({ kind, ban }) => {
    if (kind === 'banned') connections.cutCovered(ban.ip, 'ban');
  });
  recordBans(bans, protocolOf, recorder);
  const tally = createTally(connections.activeOn);
  const judge = createJudge({ gates, connections, record });
  const failed = (client: Client, failure: Failure) => {
    gates.failed(client);
    failures.fail(failure);
  };
  const front = createFront(config, {
    plane,
    folder,
    judge,
    failed,
    audit,
    record,
    tally,
    failures,
    countryOf: geo.countryOf,
  });
  return {
    audit,
    bans,
    failures,
    connections,
    geo,
    feed,
    push: pushPart(config, bans, now),
    intake: intakePart(failures, now),
    gates,
    front,
    tally,
  };
}

export type Parts = Awaited<ReturnType<typeof createParts>>;
