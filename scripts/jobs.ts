/** What `scripts/bootstrap <job>` can be asked for: each job is a list of steps or parts that must be reached. */
import { parts } from './parts/index.ts';

export interface Job {
  readonly goals: readonly string[];
  /** Ends with the sum of all tests. */
  readonly isTest?: true;
}

const names = parts.map(({ name }) => name);
/** Left to `npm test`: they need minutes, or a container engine. */
const slow = ['e2e', 'tcp-servers', 'crowdsec-tests', 'api-contract', 'parity', 'differential', 'mutants'];

export const jobs: Readonly<Record<string, Job>> = {
  /** What `guardcli` itself needs. */
  cli: { goals: ['native', 'build'] },
  demo: { goals: ['native', 'build', 'caddy', 'runner', 'engine'] },
  /** All proxies in containers. */
  proxies: { goals: ['native', 'build', 'luajit', 'traefik', 'caddy', 'runner', 'engine', 'debian'] },
  bench: { goals: ['native', 'build', 'traefik', 'caddy', 'runner', 'engine', 'debian', 'nginx', 'wrk'] },
  test: { goals: names, isTest: true },
  check: { goals: names.filter((name) => !slow.includes(name)), isTest: true },
};
