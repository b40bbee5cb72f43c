import type { Daemon } from '../../../contract/daemon/schema.ts';
import { parseListen } from '../../../contract/values/endpoint.ts';
import type { Bans } from '../../bans/ban.ts';
import type { Holdings } from '../../feed/holdings.ts';
import type { ListName } from '../mechanism.ts';
import { mirrorLists } from '../mirror.ts';
import { exemptPrefixes } from './exempt.ts';
import { HostBans } from './index.ts';

interface HostBansSources {
  readonly bans: Pick<Bans, 'all' | 'watch'>;
  readonly decisions: Pick<Holdings, 'watch' | 'prefixes'>;
  readonly now: () => number;
  readonly fault: (message: string) => void;
}

/** Services in a tarpit hold refused connections, which the firewall would drop. */
const sparedPorts = ({ services }: Daemon): number[] =>
  Object.values(services).flatMap(({ response, listen }) =>
    response.mode === 'tarpit' ? (parseListen(listen)?.port ?? []) : [],
  );

function fixedOf(config: Daemon) {
  const { enabled, fallback_action } = config.threatfeed;
  const lists: readonly ListName[] = enabled && fallback_action === 'ban' ? ['ban', 'threatfeed'] : ['ban'];
  return { exempt: exemptPrefixes(config.global.never_ban), spared: sparedPorts(config), lists };
}

/**
 * Enforces bans on every port of the host, when `bans.scope` says so at the start. `configure` takes a reloaded
 * configuration.
 */
export function startHostBans(config: Daemon, { bans, decisions, now, fault }: HostBansSources) {
  if (config.bans.scope !== 'host') return undefined;
  let current = config;
  const host = new HostBans({ now, fault, fixed: () => fixedOf(current) });
  void mirrorLists({ bans, decisions }, { listed: host.listed, onRestart: () => {} }).then(() => host.begin());
  return {
    problems: () => host.problems(),
    configure: (next: Daemon) => {
      current = next;
      host.configure();
    },
    close: () => host.close(),
  };
}
