/** Probes of the ban list: clients that it has, and clients that it does not have. */
import { isListed } from '../../../contract/values/address.ts';
import type { Probe, ProbeRequest, Skipped } from '../probe.ts';
import { isBlockedOrDetected, type Setting } from '../setting.ts';

/** No built-in rule blocks it. */
const target = '/guard-probe';

const clean = '198.51.100.1';

interface BanProbe {
  readonly description: string;
  readonly method?: string;
  /** The entries of X-Forwarded-For. */
  readonly clients: (banned: string) => string;
  readonly isBanned: boolean;
}

const probesByName: Readonly<Record<string, BanProbe>> = {
  client: { description: 'a client of the ban list', clients: (banned) => banned, isBanned: true },
  method: {
    description: 'a client of the ban list, with another method',
    method: 'DELETE',
    clients: (banned) => banned,
    isBanned: true,
  },
  last: {
    description: 'the last address of X-Forwarded-For is the client',
    clients: (banned) => `${clean}, ${banned}`,
    isBanned: true,
  },
  other: { description: 'a client that the ban list does not have', clients: () => clean, isBanned: false },
  forged: {
    description: 'an address of the ban list that a client sends',
    clients: (banned) => `${banned}, ${clean}`,
    isBanned: false,
  },
};

/** Returns why no probe can be a banned client. */
function obstacle({ policy, bans, isTrusted }: Setting): string | undefined {
  if (!policy.enabled) return 'the policy is disabled';
  if (bans?.banned === undefined) return 'the ban list has no address whose ban is in force';
  if (!isTrusted) return 'trustedProxies does not contain this machine, which can therefore be no other client';
  if (isListed([...policy.trustedProxies, ...policy.allowedIps], bans.banned))
    return 'the first address of the ban list is in trustedProxies or allowedIps';
  return undefined;
}

export function banProbes(setting: Setting): (Probe | Skipped)[] {
  const { policy, bans } = setting;
  if (!policy.banList) return [];
  const reason = obstacle(setting);
  if (reason !== undefined || bans?.banned === undefined)
    return [{ id: 'banned', source: 'banned', reason: reason ?? '' }];
  const { banned } = bans;
  return Object.entries(probesByName).map(([name, { description, method = 'GET', clients, isBanned }]) => {
    const [id, source] = [`banned:${name}`, 'banned'] as const;
    const request: ProbeRequest = { method, target, headers: [['X-Forwarded-For', clients(banned)]] };
    const outcome = setting.outcome(request);
    if ((isBlockedOrDetected(outcome) && outcome.verdict.reason === 'banned') !== isBanned)
      return { id, source, reason: 'the policy gives another verdict on this client' };
    return { id, source, description, requests: [request] };
  });
}
