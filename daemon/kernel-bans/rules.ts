/** The configuration of a service as the kernel enforces it. */

import { type Prefix, readPrefix } from '../address/prefix.ts';
import type { Served } from '../admission/admission.ts';
import type { GuardedListener } from './mechanism.ts';

type KernelRules = Pick<GuardedListener, 'lists' | 'passed' | 'denied'>;

/** The schema has refused other entries. */
const prefixesOf = (entries: readonly string[]): Prefix[] =>
  entries.map(readPrefix).filter((prefix) => prefix !== undefined);

/** `own`: addresses of this host. A string: why the service is not enforced in the kernel. */
export function kernelRules(
  { rules, service: { config } }: Pick<Served, 'rules' | 'service'>,
  own: readonly string[],
): KernelRules | string {
  const { global, threatfeed } = rules.config;
  if (config.response.mode === 'tarpit') return 'it holds refused connections in a tarpit';
  const usesFeed = threatfeed.enabled && threatfeed.fallback_action === 'ban';
  // The addresses of clients behind a trusted proxy are in its header, which the kernel does not read.
  return {
    lists: usesFeed ? ['ban', 'threatfeed'] : ['ban'],
    passed: prefixesOf([...global.never_ban, ...own, ...config.proxy_protocol.accept_from]),
    denied: prefixesOf([...global.ip_filter.deny, ...config.ip_filter.deny]),
  };
}
