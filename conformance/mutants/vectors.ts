/** Loads the conformance data, and fills in the defaults of the policies. */
import { readdirSync, readFileSync } from 'node:fs';
import { Policy } from '../../contract/policy/schema.ts';
import type { CandidateTest, RegexTest, VerdictTest } from '../../contract/vectors/schema.ts';
import { filesHash, hashOf, type Tests } from './proofs.ts';

/** Tests that run together. The tests of a group of verdicts share a policy. */
export type Group =
  | { readonly kind: 'candidates'; readonly tests: readonly CandidateTest[] }
  | { readonly kind: 'regex'; readonly tests: readonly RegexTest[] }
  | { readonly kind: 'verdicts'; readonly tests: readonly VerdictTest[]; readonly policy: Policy };

const folder = new URL('../vectors/', import.meta.url);

function groupsOf<Kind extends Group['kind']>(kind: Kind): Extract<Group, { kind: Kind }>[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.json'));
  const groups = names.sort().flatMap((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as object[]);
  return groups.map((group) => ({ ...group, kind }) as Extract<Group, { kind: Kind }>);
}

export const readGroups = (): Group[] => [
  ...groupsOf('candidates'),
  ...groupsOf('regex'),
  ...groupsOf('verdicts').map((group) => ({ ...group, policy: Policy.parse(group.policy) })),
];

/** Returns the hashes of the tests by their ids. Each covers the test, its policy, and the code that compares results. */
export function vectorTests(groups: readonly Group[]): Tests {
  const code = filesHash(['conformance/mutants/worker.ts', 'conformance/vectors/{bytes,compare}.ts']);
  const named = groups.flatMap(({ tests, ...group }) =>
    tests.map((test) => [test.id, hashOf(code, JSON.stringify(group), JSON.stringify(test))] as const),
  );
  return new Map(named);
}
