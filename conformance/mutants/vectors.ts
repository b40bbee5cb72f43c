/** The conformance data as a worker receives it, with the defaults of the policies. */
import { readdirSync, readFileSync } from 'node:fs';
import { Policy } from '../../contract/policy/schema.ts';
import type { CandidateTest, RegexTest, VerdictTest } from '../../contract/vectors/schema.ts';

export interface Vectors {
  readonly candidates: readonly CandidateTest[];
  readonly regex: readonly RegexTest[];
  readonly verdicts: { readonly policy: Policy; readonly tests: readonly VerdictTest[] }[];
}

const folder = new URL('../vectors/', import.meta.url);

function groups<G>(kind: string): G[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.json'));
  return names.sort().flatMap((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as G[]);
}

export function readVectors(): Vectors {
  return {
    candidates: groups<{ tests: CandidateTest[] }>('candidates').flatMap(({ tests }) => tests),
    regex: groups<{ tests: RegexTest[] }>('regex').flatMap(({ tests }) => tests),
    verdicts: groups<{ policy: unknown; tests: VerdictTest[] }>('verdicts').map(({ policy, tests }) => ({
      policy: Policy.parse(policy),
      tests,
    })),
  };
}
