/** Probes for every version of HTTP. */
import { isSkipped, type Probe, requestFor, type Skipped } from '../../../cli/probes/probe.ts';
import type { ProbeSet } from '../../../cli/probes/probe-set.ts';
import type { Setting } from '../../../cli/probes/setting.ts';
import { ruleProbes } from '../../../cli/probes/sources/rules.ts';
import { vectorProbes, verdictVectors } from '../../../cli/probes/sources/vectors.ts';

const hosts = ['files.test', 'FILES.test:8443', 'files.test.', 'files.test.:80', 'other.test', '[::1]:80'];

/** Bodies of odd and even length. The client omits Content-Length for an odd length. */
const bodies = [
  'f=/x/../../etc/passwd',
  'ff=/x/../../etc/passwd',
  'a=b',
  'a=bc',
  `a=${'b'.repeat(9000)}&f=/etc/passwd`,
];
const types = ['application/x-www-form-urlencoded', 'text/plain', undefined];

function ownProbes(): Probe[] {
  const hosted = hosts.map((host) => ({ ...requestFor('/.env'), host }));
  const posted = bodies.flatMap((body) =>
    types.map((type) => ({
      ...requestFor('/x', 'POST'),
      headers: type === undefined ? [] : [['Content-Type', type] as const],
      body,
    })),
  );
  const bare = [{ ...requestFor('/x', 'DELETE'), headers: [['Content-Type', 'text/plain'] as const] }];
  return [...hosted, ...posted, ...bare].map((request, index) => ({
    ...{ id: `own:${index}`, source: 'vector', description: 'a host or a body', requests: [request] },
  }));
}

/** Bytes of the longest target. Beyond it, Caddy closes a connection of h2c where it answers 431 in HTTP/1.1. */
const longestTarget = 16_384;

export function suiteFor(setting: Setting, { hasVectors }: { readonly hasVectors: boolean }): ProbeSet {
  const rows: readonly (Probe | Skipped)[] = [
    ...ownProbes(),
    ...ruleProbes(setting),
    ...(hasVectors ? vectorProbes(setting, verdictVectors()) : []),
  ];
  const probes = rows
    .filter((row): row is Probe => !isSkipped(row))
    .filter(({ requests }) => requests.every(({ target }) => target.length <= longestTarget));
  return { probes, skipped: rows.filter(isSkipped) };
}
