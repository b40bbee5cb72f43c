import { readable } from '../../platform/escape.ts';
import { counted } from '../program/counted.ts';
import type { Row } from '../program/table.ts';
import { targets } from '../targets/table.ts';
import type { DaemonSummary } from './daemon.ts';
import type { NginxSummary } from './nginx/validate.ts';
import type { PolicySummary } from './policy.ts';
import type { TargetReport } from './targets.ts';

export function policyRows(summary: PolicySummary): Row[] {
  const { blockRules, allowRules, response, allowedNetworks, mode, enabled } = summary;
  const detects = mode === 'detect' ? [['mode', 'detect: blocked requests are reported and passed on'] as const] : [];
  const off = enabled ? [] : [['enabled', 'false: nothing is inspected'] as const];
  return [
    ...off,
    ...detects,
    ['block patterns', `${blockRules.builtIn} built-in active, ${blockRules.custom} custom`],
    [
      'allow rules',
      `${allowRules.builtIn + allowRules.custom} (${allowRules.builtIn} built-in, ${allowRules.custom} custom)`,
    ],
    ['response', `${response.mode}, ${response.status === null ? 'no fixed status' : response.status}`],
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

/** Returns the titles of the named forms, or that of the target when all its forms are named. */
function titlesOf(names: readonly string[]): string {
  const titles = targets.flatMap(({ title, forms }) => {
    const meant = forms.filter(({ name }) => names.includes(name));
    return meant.length === forms.length ? [title] : meant.map((form) => form.title);
  });
  return titles.join(', ');
}

/** Targets with the same limits share their rows. */
export function targetRows(reports: readonly TargetReport[]): Row[] {
  const groups = [...Map.groupBy(reports, ({ limits }) => limits.join('\n')).values()];
  return groups.flatMap((group) => {
    const names = titlesOf(group.map(({ target }) => target));
    const limits = group[0]?.limits ?? [];
    return (limits.length === 0 ? ['ok'] : limits).map(
      (limit, index): Row => [index === 0 ? names : '', readable(limit)],
    );
  });
}

export function nginxRows({ servers, locations, inspected }: NginxSummary): Row[] {
  return [
    ['servers', String(servers)],
    ['locations', String(locations)],
    ['inspected', `${inspected} of ${servers + locations}`],
  ];
}
