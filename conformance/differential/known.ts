/** Request targets that are worth mutating: those of the built-in rules and of the conformance data. */
import { readdirSync, readFileSync } from 'node:fs';
import { builtInRules } from '../../contract/policy/builtin-rules.ts';
import type { CandidateTest, VerdictTest } from '../../contract/vectors/schema.ts';
import { bytesOf } from '../vectors/bytes.ts';

const folder = new URL('../vectors/', import.meta.url);
/** Longest target in bytes. Longer ones test limits, and the generator makes such targets itself. */
const maxLength = 300;

type Tests = readonly { readonly tests: readonly (CandidateTest | VerdictTest)[] }[];

function targetOf(test: CandidateTest | VerdictTest): string {
  return ('request' in test ? bytesOf(test.request, 'target') : bytesOf(test, 'input')) ?? '/';
}

function targetsOf(file: string): string[] {
  const groups = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Tests;
  return groups.flatMap((group) => group.tests.map(targetOf));
}

export function knownTargets(): string[] {
  const files = readdirSync(folder).filter((name) => /^(?:candidates|verdicts)-.*\.json$/.test(name));
  const examples = builtInRules.flatMap((rule) => [...rule.matches, ...rule.nearMisses]);
  return [...examples, ...files.sort().flatMap(targetsOf)].filter((target) => target.length <= maxLength);
}
