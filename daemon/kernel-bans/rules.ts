/** Derives the lists of a service's filter from its configuration. */
import { type Prefix, readPrefix } from '../address/prefix.ts';
import type { Served } from '../admission/admission.ts';
import type { GuardedListener } from './mechanism.ts';

type KernelRules = Pick<GuardedListener, 'lists' | 'passed' | 'denied'>;

/** Parses a list. Skips entries that are not addresses or networks, which the schema has already refused. */
const prefixesOf = (entries: readonly string[]): Prefix[] =>
  entries.map(readPrefix).filter((prefix) => prefix !== undefined);

/** Returns the lists, or a text why the kernel cannot enforce them for this service. `own`: addresses of this host. */
export function kernelRules(
  { rules, service: { config } }: Pick<Served, 'rules' | 'service'>,
  own: readonly string[],
): KernelRules | string {
  const { global, threatfeed } = rules.config;
  if (config.response.mode === 'tarpit') return 'it holds refused connections in a tarpit';
  const usesFeed = threatfeed.enabled && threatfeed.fallback_action === 'ban';
  // Trusted proxies always pass: the kernel cannot read the PROXY header that has the address of their client.
  return {
    lists: usesFeed ? ['ban', 'threatfeed'] : ['ban'],
    passed: prefixesOf([...global.never_ban, ...own, ...config.proxy_protocol.accept_from]),
    denied: prefixesOf([...global.ip_filter.deny, ...config.ip_filter.deny]),
  };
}
