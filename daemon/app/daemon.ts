/** The daemon from its first configuration to its end. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Loaded, Problem } from '../../contract/load/problem.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import type { DaemonControl, ReloadOutcome } from '../api/daemon-control.ts';
import { type Api, startApi } from '../api/index.ts';
import { StoredExemptions } from '../bans/exemptions.ts';
import { untilStoredForLapi } from '../feed/push.ts';
import { type Notifier, startNotifier } from '../notify/index.ts';
import { choosePlane, type PlaneStatus, withPlane } from '../plane/choice.ts';
import type { Connection, DataPlane } from '../plane/plane.ts';
import { log } from '../process/log.ts';
import { version } from '../process/version.ts';
import { ConfigInForce } from './apply-config.ts';
import { type Component, createComponent } from './component.ts';
import { problemClause } from './problem-text.ts';
import { Reloads } from './reload.ts';
import { drain, endedInTime, release } from './shutdown.ts';
import { DaemonStatus } from './status.ts';
import { type Components, createComponents, relaysAlone } from './wiring.ts';

export interface DaemonOptions {
  readonly read: () => Loaded<Daemon>;
  /** The folder of relative paths in the configuration. Default: the working directory. */
  readonly folder?: string;
  readonly now?: () => number;
  /** Descriptors of listening sockets that the service manager passed on, by the name of the guarded service. */
  readonly inherited?: Map<string, number>;
}

/** Thrown at start when the configuration is refused. */
export class StartError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(problemClause).join('; '));
    this.problems = problems;
  }
}

export class RunningDaemon extends DaemonStatus implements DaemonControl {
  readonly version = version;
  readonly startedAt: number;
  readonly bans;
  readonly exemptions: StoredExemptions;
  readonly failures;
  readonly audit;
  readonly #api: Component<Api>;
  readonly #notifier: Component<Notifier>;
  readonly #reloads: Reloads;
  #isServing = false;

  private constructor(
    config: Daemon,
    components: Components,
    { read, folder = process.cwd(), now = Date.now }: DaemonOptions,
  ) {
    const { geo, acceptor } = components;
    const allowed = () => this.exemptions.list().map(({ ip }) => ip);
    super(components, new ConfigInForce({ geo, acceptor, folder }, allowed));
    this.startedAt = now();
    this.exemptions = new StoredExemptions({
      dataDir: config.global.data_dir,
      now,
      apply: () =>
        this.#reloads.inTurn(async () => {
          if (this.#isServing) await this.#applyExemptions(); // a change while the daemon ends would listen again
        }),
      fault: components.audit.fault,
    });
    this.bans = components.acceptor.enforced(untilStoredForLapi(components.bans, components.push.current));
    this.failures = components.failures;
    this.audit = components.audit;
    this.#reloads = new Reloads({
      read,
      startConfig: config,
      inForce: this.inForce,
      configure: () => this.#configure(),
      problems: () => this.problems(),
      fault: (message) => this.audit.fault(message),
    });
    this.#notifier = createComponent({
      name: 'notify',
      section: ({ notify }) => notify,
      start: (config) =>
        startNotifier({ config, bans: components.bans, problems: () => this.problems(), log: log.warning }),
    });
    this.#api = createComponent({
      name: 'api',
      section: ({ api: { listen, socket } }) => ({ listen, socket }),
      start: (config) => startApi({ config, control: this }),
      // An API that moves to another address keeps its token until it is closed: the new address may need no token.
      reconfigure: (api, config) => api.reconfigure(config),
    });
  }

  /** Starts the daemon. When a component cannot begin, closes all components and rejects. */
  static async start<C extends Connection>(
    config: Daemon,
    plane: DataPlane<C>,
    dataPlane: PlaneStatus,
    options: DaemonOptions,
  ): Promise<RunningDaemon> {
    const { now = Date.now, inherited = new Map() } = options;
    const components = await createComponents(config, {
      now,
      plane,
      dataPlane,
      inherited,
      protocolOf: (service) => daemon.inForce.rules?.config.services[service]?.protocol,
    });
    const daemon = new RunningDaemon(config, components, options);
    try {
      await daemon.#begin(config);
      return daemon;
    } catch (error) {
      await daemon.close(0);
      throw error;
    }
  }

  async #begin(config: Daemon): Promise<void> {
    // Start the feed and the lists first, so that the entries of the previous run are in force when the services listen.
    await this.components.feed.apply(config);
    await this.components.lists.apply(config);
    const applied = await this.inForce.apply(config);
    if (!applied.ok) throw new StartError(applied.problems);
    this.components.kernelBans.configure(this.inForce.config);
    if (this.exemptions.list().length > 0) await this.#applyExemptions();
    for (const component of this.#restartableComponents) await component.apply(this.inForce.config);
    await this.#api.apply(config);
    const { max_connections } = config.global;
    if (applied.rules.maxConnections < max_connections)
      log.warning(
        `the descriptor limit allows ${applied.rules.maxConnections} connections, global.max_connections is ${max_connections}: raise LimitNOFILE or ulimit -n`,
      );
    this.#isServing = true;
  }

  isServing = () => this.#isServing && this.components.acceptor.isServing();
  apiAddresses = (): readonly string[] => this.#api.current()?.addresses ?? [];

  get #restartableComponents() {
    const { feed, push, intake, publish, lists } = this.components;
    return [feed, push, intake, publish, lists, this.#notifier];
  }

  problems = () => {
    const { audit, bans, geo, acceptor, kernelBans } = this.components;
    const components = [audit, bans, this.exemptions, geo, acceptor, kernelBans];
    const reporting = [...components, ...this.#restartableComponents, this.#api, this.#reloads];
    return reporting.flatMap((component) => component.problems());
  };

  reload = (requester: string): Promise<ReloadOutcome> => this.#reloads.request(requester);

  /** Puts the exemptions into force: in the rules of connections, the bans, the counters of failures and the firewall. */
  async #applyExemptions(): Promise<void> {
    const { bans, failures, kernelBans, publish } = this.components;
    await this.inForce.applyExemptions();
    bans.exempt(this.exemptions.list().map(({ ip }) => ip));
    for (const component of [failures, kernelBans]) component.configure(this.inForce.config);
    await publish.apply(this.inForce.config);
  }

  /** Applies the configuration to the components. A failure in one of them becomes one of the `problems`. */
  async #configure(): Promise<void> {
    const { audit, bans, failures, kernelBans } = this.components;
    const { config, written } = this.inForce;
    bans.configure(written);
    for (const component of [audit, failures, kernelBans]) component.configure(config);
    for (const component of this.#restartableComponents)
      await component.apply(config).catch((error: Error) => audit.fault(error.message));
    // Not awaited: the API sends pending responses before it changes its address, and one may wait for this reload.
    void this.#api.apply(config).catch((error: Error) => audit.fault(error.message));
  }

  /**
   * Waits `drainMs` (default: `global.drain`) for connections to end, then cuts them. Resolves with false when
   * something was not released, for example when the disk does not respond.
   */
  async close(drainMs = parseDuration(this.inForce.config.global.drain)): Promise<boolean> {
    const { acceptor } = this.components;
    this.#isServing = false;
    await endedInTime(Promise.all([this.exemptions.close(), this.#reloads.close()]).then(() => true));
    await acceptor.stop();
    await drain(this.components, drainMs ?? 0);
    await acceptor.close();
    await this.#notifier.close();
    return endedInTime(release(this.components, this.#api));
  }
}

/** Starts the daemon on a data plane. Default: the plane of the configuration. */
export function startDaemon<C extends Connection>(
  config: Daemon,
  options: DaemonOptions,
  plane?: DataPlane<C>,
): Promise<RunningDaemon> {
  const dataPlane = choosePlane(config.global.data_plane);
  if (dataPlane.name !== 'linux' && config.global.data_plane !== 'net')
    log.warning(`connections are relayed by node:net: ${dataPlane.reason}`);
  if (plane) return RunningDaemon.start(config, plane, dataPlane, options);
  const relays = relaysAlone(config, dataPlane, options.inherited ?? new Map());
  const own = relays ? dataPlane.name : 'net';
  return withPlane(own, { isWorker: false }, (chosen) => RunningDaemon.start(config, chosen, dataPlane, options));
}
