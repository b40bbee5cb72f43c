import { type Probe, requestFor } from '../probe.ts';
import type { Setting } from '../setting.ts';

const targets = {
  'sensitive-file': { target: '/.env', description: 'a sensitive file' },
  traversal: { target: '/static/..%2f.env', description: 'a traversal with an encoded slash' },
  'standard-file': { target: '/robots.txt', description: 'a standard file' },
} as const;

export function specificationProbes({ clientHeaders }: Setting): Probe[] {
  return Object.entries(targets).map(([name, { target, description }]) => ({
    id: `specification:${name}`,
    source: 'specification',
    description,
    requests: [{ ...requestFor(target), headers: clientHeaders }],
  }));
}
