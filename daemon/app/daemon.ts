/** The daemon from its first configuration to its end. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Loaded, Problem, RefusedFile } from '../../contract/load/problem.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { type PolicyTexts, problemAt } from '../admission/policies.ts';
import type { Rules } from '../admission/rules.ts';
import type { DaemonControl, ReloadOutcome } from '../api/daemon-control.ts';
import { type Api, startApi } from '../api/index.ts';
import { untilStoredForLapi } from '../feed/push.ts';
import { kernelBansProblem } from '../kernel-bans/index.ts';
import { choosePlane, type PlaneStatus, withPlane } from '../plane/choice.ts';
import type { Connection, DataPlane } from '../plane/plane.ts';
import { log } from '../process/log.ts';
import { version } from '../process/version.ts';
import { serviceInfos } from '../stats/services.ts';
import type { TableStats } from '../stats/stats.ts';
import { inTime } from '../time/timer.ts';
import { type ApplyOutcome, applyConfig } from './apply-config.ts';
import { changedKeys, changedPolicies, keysThatNeedRestart } from './changed-keys.ts';
import { type Component, createComponent } from './component.ts';
import { problemText, withPosition } from './problem-text.ts';
import { type Components, createComponents, workerCount } from './wiring.ts';

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

export class RunningDaemon implements DaemonControl {
  readonly version = version;
  readonly startedAt: number;
  readonly bans;
  readonly failures;
  readonly audit;
  readonly #components: Components;
  readonly #readFile: () => Loaded<Daemon>;
  readonly #folder: string;
  readonly #api: Component<Api>;
  /** The configuration at start. Some keys are read only then. */
  readonly #startConfig: Daemon;
  #rules: Rules | undefined;
  #policyTexts: PolicyTexts = {};
  #refusal: string | undefined;
  #waitsForRestart: readonly string[] = [];
  #isServing = false;
  #isClosing = false;
  #reloading: Promise<unknown> = Promise.resolve();

  private constructor(
    config: Daemon,
    components: Components,
    { read, folder = process.cwd(), now = Date.now }: DaemonOptions,
  ) {
    this.startedAt = now();
    this.#startConfig = config;
    this.bans = components.acceptor.enforced(untilStoredForLapi(components.bans, components.push.current));
    this.failures = components.failures;
    this.audit = { ...components.audit, dropped: () => components.audit.dropped() + components.acceptor.dropped() };
    this.#components = components;
    this.#readFile = read;
    this.#folder = folder;
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
      protocolOf: (service) => daemon.#rules?.config.services[service]?.protocol,
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
    // Start the feed first, so that the decisions of the previous run are in force when the services listen.
    await this.#components.feed.apply(config);
    const applied = await this.#apply(config);
    if (!applied.ok) throw new StartError(applied.problems);
    for (const component of this.#restartableComponents) await component.apply(config);
    await this.#api.apply(config);
    const { max_connections } = config.global;
    if (applied.rules.maxConnections < max_connections)
      log.warning(
        `the descriptor limit allows ${applied.rules.maxConnections} connections, global.max_connections is ${max_connections}: raise LimitNOFILE or ulimit -n`,
      );
    this.#isServing = true;
  }

  async #apply(config: Daemon): Promise<ApplyOutcome> {
    const { geo, acceptor } = this.#components;
    const apiListen = this.#rules?.config.api.listen;
    const applied = await applyConfig(config, { geo, acceptor, apiListen, folder: this.#folder });
    if (applied.ok) {
      this.#rules = applied.rules;
      this.#policyTexts = applied.texts;
    }
    return applied;
  }

  /** The configuration in force. @throws TypeError before the first one is applied */
  get #config(): Daemon {
    if (!this.#rules) throw new TypeError('no configuration is in force yet');
    return this.#rules.config;
  }

  services = () => serviceInfos(this.#config, this.#components.acceptor.endpointOf);
  refreshCounts = () => this.#components.acceptor.refreshCounts();
  stats = () => {
    const { tally, connections, acceptor } = this.#components;
    const activeOn = (service: string) => connections.activeOn(service) + acceptor.workerAdmittedCount(service);
    return tally.stats(Object.keys(this.#config.services), activeOn);
  };
  isServing = () => this.#isServing && this.#components.acceptor.isServing();
  apiAddresses = (): readonly string[] => this.#api.current()?.addresses ?? [];

  get #restartableComponents() {
    const { feed, push, intake } = this.#components;
    return [feed, push, intake];
  }

  get feed() {
    return this.#components.feed.current();
  }

  get push() {
    return this.#components.push.current();
  }

  tables = (): Readonly<Record<string, TableStats>> => {
    const { connections, bans, failures, gates, acceptor } = this.#components;
    const { push } = this;
    const maxConnections = this.#rules?.maxConnections ?? 0;
    return {
      connections: { entries: connections.size() + acceptor.workerAdmittedCount(), capacity: maxConnections },
      bans: { entries: bans.count(), capacity: daemonBounds.bans },
      failures: { entries: failures.size(), capacity: daemonBounds.failureAddresses },
      ...gates.tables(),
      ...acceptor.tables(maxConnections),
      ...(push && { push: { entries: push.pending(), capacity: daemonBounds.pushPending } }),
    };
  };

  dataPlane = () => this.#components.acceptor.dataPlane();
  kernelBans = () => this.#components.acceptor.kernelBans();

  unattributedProbes = () =>
    this.#config.port_scan.listen.length > 0 ? this.#components.acceptor.unattributed() : undefined;

  problems = () => {
    const { audit, bans, geo, acceptor } = this.#components;
    const kernel = kernelBansProblem(this.#startConfig.bans.kernel, this.kernelBans());
    const own = [
      kernel,
      this.#refusal,
      this.#waitsForRestart.length > 0 ? restartText(this.#waitsForRestart) : undefined,
    ];
    return [
      ...[audit, bans, geo, acceptor, ...this.#restartableComponents, this.#api].flatMap((component) =>
        component.problems(),
      ),
      ...own.filter((problem) => problem !== undefined),
    ];
  };

  /** Reloads run one after the other. `requester`: who asked for it, for the log. */
  reload = (requester: string): Promise<ReloadOutcome> => {
    const outcome = this.#reloading.then(() => this.#reload(requester));
    this.#reloading = outcome.catch(() => {});
    return outcome;
  };

  async #reload(requester: string): Promise<ReloadOutcome> {
    // A reload now would open the listeners that `close` has closed.
    if (this.#isClosing) return this.#refuse(requester, refusedBy(problemAt('', 'tcp-guard is ending')));
    const [before, textsBefore] = [this.#config, this.#policyTexts];
    const loaded = this.#readAgain();
    const applied = loaded.ok ? await this.#apply(loaded.value) : loaded;
    if (!applied.ok) {
      const problems = applied.problems.map((problem) => withPosition(loaded, problem));
      return this.#refuse(requester, { ...refusedBy(...problems), ...(!loaded.ok && loaded), name: loaded.name });
    }
    const { config } = this.#rules as Rules;
    await this.#configure(config);
    const changed = [
      ...changedKeys(before, config),
      ...changedPolicies(before, config, textsBefore, this.#policyTexts),
    ];
    this.#refusal = undefined;
    this.#waitsForRestart = keysThatNeedRestart(changedKeys(this.#startConfig, config));
    log.info(
      `reload requested by ${requester}: ${changed.length > 0 ? `changed ${changed.join(', ')}` : 'nothing changed'}`,
    );
    const problems = this.problems();
    for (const problem of problems) log.warning(`problem: ${problem}`);
    return { ok: true, changed, restart: this.#waitsForRestart, problems };
  }

  #readAgain(): Loaded<Daemon> {
    try {
      return this.#readFile();
    } catch (error) {
      return refusedBy(problemAt('', (error as Error).message));
    }
  }

  #refuse(requester: string, { name, problems, omitted }: RefusedFile): ReloadOutcome {
    const refusal = 'the new configuration was refused and the previous one stays in force';
    const [first] = problems;
    const further = problems.length - 1 + omitted;
    this.#refusal = `${refusal}: ${first ? problemClause(first) : ''}${further > 0 ? ` (and ${further} more)` : ''}`;
    const texts = problems.map((problem) => problemText(name, problem));
    const more = omitted > 0 ? [`${omitted} more problems`] : [];
    this.audit.fault([`reload requested by ${requester}: ${refusal}`, ...texts, ...more].join('\n'));
    return { ok: false, problems };
  }

  /** Applies the configuration to the components. A failure in one of them becomes one of the `problems`. */
  async #configure(config: Daemon): Promise<void> {
    const { audit, bans, failures } = this.#components;
    for (const component of [audit, bans, failures]) component.configure(config);
    for (const component of this.#restartableComponents)
      await component.apply(config).catch((error: Error) => audit.fault(error.message));
    // Not awaited: the API sends pending responses before it changes its address, and one may wait for this reload.
    void this.#api.apply(config).catch((error: Error) => audit.fault(error.message));
  }

  /** Cuts the connections that are still open after `ms`, and connections that open later. */
  async #drain(ms: number): Promise<void> {
    const { connections } = this.#components;
    let cutting: NodeJS.Timeout | undefined;
    const waiting = setTimeout(() => {
      connections.cutAll('shutdown');
      cutting = setInterval(() => connections.cutAll('shutdown'), cutEveryMs);
    }, ms);
    await connections.untilEmpty();
    clearTimeout(waiting);
    clearInterval(cutting);
  }

  /**
   * Waits `drainMs` (default: `global.drain`) for connections to end, then cuts them. Resolves with false when
   * something was not released, for example when the disk does not respond.
   */
  async close(drainMs = parseDuration(this.#config.global.drain)): Promise<boolean> {
    const { acceptor } = this.#components;
    this.#isServing = false;
    this.#isClosing = true;
    await endedInTime(this.#reloading.then(() => true));
    await acceptor.stop();
    await this.#drain(drainMs ?? 0);
    await acceptor.close();
    return endedInTime(this.#release());
  }

  async #release(): Promise<boolean> {
    const { geo, intake, feed, push, bans, audit } = this.#components;
    geo.close();
    await Promise.all([this.#api.close(), feed.close(), push.close(), intake.close()]);
    const isClosed = await bans.close();
    await audit.close();
    return isClosed;
  }
}

const cutEveryMs = 50;

const endedInTime = (work: Promise<boolean>): Promise<boolean> => inTime(work, daemonBounds.closeMs, () => false);

const refusedBy = (...problems: readonly Problem[]): RefusedFile => ({ ok: false, name: '', problems, omitted: 0 });
const problemClause = ({ path, message }: Problem): string => (path ? `${path}: ${message}` : message);
const restartText = (keys: readonly string[]): string => `restart tcp-guard to apply ${keys.join(', ')}`;

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
  const own = workerCount(config) === 1 ? dataPlane.name : 'net'; // with workers, this process relays no connection
  return withPlane(own, { isWorker: false }, (chosen) => RunningDaemon.start(config, chosen, dataPlane, options));
}
