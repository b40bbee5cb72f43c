/** Jobs for `scripts/bootstrap <job>`: each one is a list of steps or suites. */
import { suites } from './suites/index.ts';
import type { Tier } from './suites/suite.ts';

export interface Job {
  readonly goals: readonly string[];
  /** Prints the sum of all tests at the end. */
  readonly isTest?: true;
}

const ofTiers = (...tiers: readonly Tier[]): string[] =>
  suites.filter(({ tier }) => tiers.includes(tier)).map(({ name }) => name);

const images = ['traefik', 'caddy', 'runner', 'debian'];

export const jobs: Readonly<Record<string, Job>> = {
  /** Requirements of `guardcli`. */
  cli: { goals: ['native', 'build'] },
  demo: { goals: ['native', 'build', 'caddy', 'runner', 'containers'] },
  /** All proxies in containers. */
  proxies: { goals: ['native', 'build', 'containers', ...images] },
  bench: { goals: ['native', 'build', 'containers', ...images, 'image-full'] },
  check: { goals: ofTiers('check'), isTest: true },
  test: { goals: [...ofTiers('check', 'test'), 'prune'], isTest: true },
  /** The suites that `test` does not run. */
  full: { goals: [...ofTiers('full'), 'prune'], isTest: true },
};
