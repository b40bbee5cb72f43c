/**
 * Bans in the kernel: nftables drops the packets of banned clients, at the ports of services or of the whole host. The
 * gates enforce the same lists in this process.
 */
import type { Daemon } from '../../contract/daemon/schema.ts';
import { type Endpoint, parseListen } from '../../contract/values/endpoint.ts';
import { type Prefix, readPrefix } from '../address/prefix.ts';
import { nothingMoved, type Recorder } from '../admission/recorder.ts';
import type { Bans } from '../bans/ban.ts';
import type { Holdings } from '../feed/holdings.ts';
import { mayChangeFirewall } from '../process/capabilities.ts';
import { log } from '../process/log.ts';
import type { Tally } from '../stats/services.ts';
import { exemptPrefixes } from './exempt.ts';
import { openGeneration } from './generation.ts';
import type { KernelBans, KernelBansState, ListedText, ListName } from './kernel-bans.ts';
import { mirrorLists } from './mirror.ts';
import { type GuardedPort, ownerOf, table } from './ruleset.ts';
import { type Fixed, KernelTable } from './table.ts';

export type { KernelBans, KernelBansState, ListedText } from './kernel-bans.ts';

interface Sources {
  readonly bans: Pick<Bans, 'all' | 'watch' | 'checkClock'>;
  readonly decisions: Pick<Holdings, 'watch' | 'prefixes'>;
  readonly tally: Pick<Tally, 'of'>;
  readonly record: Recorder;
  /** Counts packets that were dropped by decisions of the threat feed, for its usage metrics. */
  readonly account: (count: number) => void;
  readonly endpointOf: (service: string) => Endpoint | undefined;
  readonly now: () => number;
  readonly fault: (message: string) => void;
}

const prefixesOf = (entries: readonly string[]): Prefix[] => entries.flatMap((entry) => readPrefix(entry) ?? []);

/** The listeners of services with their actual ports, from `endpointOf`. */
function portsOf({ services }: Daemon, endpointOf: Sources['endpointOf']): GuardedPort[] {
  return Object.entries(services).flatMap(([service, { enabled, listen, response, proxy_protocol }]) => {
    const endpoint = enabled ? (endpointOf(service) ?? parseListen(listen)) : undefined;
    if (!endpoint || endpoint.port === 0) return [];
    const isTarpit = response.mode === 'tarpit';
    return [{ service, ...endpoint, isTarpit, proxies: prefixesOf(proxy_protocol.accept_from) }];
  });
}

function listsOf({ threatfeed: { enabled, fallback_action } }: Daemon): readonly ListName[] {
  return enabled && fallback_action === 'ban' ? ['ban', 'threatfeed'] : ['ban'];
}

const exceptionsOf = (ports: readonly GuardedPort[]): string[] =>
  ports.flatMap(({ service, isTarpit }) => (isTarpit ? `${service}: it holds refused connections in a tarpit` : []));

const inUserSpace = (reason: string, problems: readonly string[] = []): KernelBans => ({
  configure: () => {},
  refresh: async () => {},
  packetsOf: async () => [],
  state: () => ({ mechanism: 'user_space', reason, entries: 0, leftOut: 0, dropped: 0, exceptions: [] }),
  problems: () => problems,
  close: async () => {},
});

class NftablesBans implements KernelBans {
  readonly #sources: Sources;
  readonly #scope: Daemon['bans']['scope'];
  /** Whether the configuration demands the firewall, so that its absence is a problem. */
  readonly #isRequired: boolean;
  readonly #table: KernelTable;
  readonly #mirrored: Promise<void>;
  #config: Daemon;
  #ports: readonly GuardedPort[] = [];
  #dropped = 0;
  #hasBegun = false;

  constructor(config: Daemon, sources: Sources) {
    this.#sources = sources;
    this.#config = config;
    this.#scope = config.bans.scope;
    this.#isRequired = isRequired(config);
    this.#table = new KernelTable({
      now: sources.now,
      fault: (problem) => {
        if (this.#isRequired) sources.fault(problemText(config, problem));
      },
      fixed: this.#fixed,
      generation: openGeneration(),
      dropped: this.#onDropped,
    });
    this.#mirrored = mirrorLists(sources, this.#table.listed);
  }

  readonly #fixed = (): Fixed => {
    this.#sources.bans.checkClock(); // a clock that was set back makes all bans longer
    this.#ports = portsOf(this.#config, this.#sources.endpointOf);
    return {
      scope: this.#scope,
      owner: ownerOf(this.#config.global.data_dir),
      exempt: exemptPrefixes(this.#config.global.never_ban),
      ports: this.#ports,
      lists: listsOf(this.#config),
    };
  };

  readonly #onDropped = (list: ListName, count: number, name: string | undefined): void => {
    const { tally, record, account } = this.#sources;
    const config = name === undefined ? undefined : this.#config.services[name];
    if (name !== undefined && config) {
      tally.of(name).blocked += count;
      record({ name, config }, { ip: '', port: 0 }, 'blocked', list, { ...nothingMoved, count });
    } else if (name === undefined) {
      this.#dropped += count;
      if (list === 'threatfeed') account(count);
    }
  };

  configure = (config: Daemon): void => {
    this.#config = config;
    if (this.#hasBegun) this.#table.configure();
    else void this.#mirrored.then(() => this.#table.begin());
    this.#hasBegun = true;
  };

  refresh = (): Promise<void> => this.#table.refresh();

  packetsOf = (entries: readonly ListedText[]): Promise<readonly (number | undefined)[]> =>
    this.#table.packetsOf(
      entries.map(({ list, ip }) => {
        const prefix = readPrefix(ip);
        return prefix && { list, prefix };
      }),
    );

  state = (): KernelBansState => ({
    mechanism: this.#table.isWritten ? 'nftables' : 'user_space',
    reason: this.#table.problem ?? (this.#table.isWritten ? `the table ${table} is in force` : 'it is being written'),
    entries: this.#table.entryCount,
    leftOut: this.#table.leftOutCount,
    dropped: this.#dropped,
    exceptions: exceptionsOf(this.#ports),
  });

  problems = (): readonly string[] => {
    if (!this.#isRequired) return [];
    const { problem, leftOutCount } = this.#table;
    return [
      ...(problem === undefined ? [] : [problemText(this.#config, problem)]),
      ...(leftOutCount === 0 ? [] : [`${leftOutCount} bans are not in the firewall: only the daemon refuses them`]),
    ];
  };

  close = async (): Promise<void> => {
    const { isWritten, entryCount } = this.#table;
    const stays = this.#scope === 'host';
    await this.#table.close(!stays);
    if (isWritten && stays)
      log.info(`${entryCount} bans stay in the firewall until they end; to lift them: tcp-guard bans flush`);
  };
}

const isRequired = ({ bans: { kernel, scope } }: Daemon): boolean => kernel === 'nftables' || scope === 'host';

function problemText({ bans: { scope } }: Daemon, reason: string): string {
  const wanted = scope === 'host' ? 'bans.scope is host' : 'bans.kernel is nftables';
  return `${wanted}, and bans hold only at the ports of this daemon: ${reason}`;
}

/** Enforces bans in the kernel from the first `configure` on. `bans.kernel` and `bans.scope` are those of the start. */
export function startKernelBans(config: Daemon, sources: Sources): KernelBans {
  const whyNot =
    config.bans.kernel === 'off'
      ? 'bans.kernel is off'
      : mayChangeFirewall()
        ? undefined
        : 'the process has no CAP_NET_ADMIN';
  if (whyNot === undefined) return new NftablesBans(config, sources);
  if (!isRequired(config)) return inUserSpace(whyNot);
  const problem = problemText(config, whyNot);
  sources.fault(problem);
  return inUserSpace(whyNot, [problem]);
}
