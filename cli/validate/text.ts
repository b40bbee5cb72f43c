/** The summaries as lines. */
import { readable } from '../escape.ts';
import type { Row } from '../table.ts';
import type { DaemonSummary } from './daemon.ts';
import type { PolicySummary } from './policy.ts';

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

export function policyRows(summary: PolicySummary): Row[] {
  const { blockRules, allowRules, response, allowedNetworks, mode, enabled } = summary;
  const detects = mode === 'detect' ? [['mode', 'detect: blocked requests are reported and let through'] as const] : [];
  const off = enabled ? [] : [['enabled', 'false: nothing is inspected'] as const];
  return [
    ...off,
    ...detects,
    ['block patterns', `${blockRules.builtIn} built-in active, ${blockRules.own} own`],
    ['allow rules', `${allowRules.builtIn + allowRules.own} (${allowRules.builtIn} built-in, ${allowRules.own} own)`],
    ['response', `${response.mode}, ${response.status === null ? 'no status of its own' : response.status}`],
    ['allowed IPs', counted(allowedNetworks, 'CIDR block')],
  ];
}

export function daemonRows({ services, api, threatFeed, logLevel }: DaemonSummary): Row[] {
  return [
    ['services', String(services.length)],
    ...services.map(
      ({ name, protocol, listen, upstream }): Row => [`  ${name}`, readable(`${protocol} ${listen} -> ${upstream}`)],
    ),
    ['API', api.map(readable).join(', ') || 'none'],
    ['threat feed', threatFeed ? 'on' : 'off'],
    ['log level', logLevel],
  ];
}
