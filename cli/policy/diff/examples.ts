/** Targets that show the rules of policies: what each rule is for, and what it barely does not match. */
import { rulesOf } from '../../../contract/engine/rules.ts';
import patterns from '../../../contract/policy/patterns.json' with { type: 'json' };
import type { Policy } from '../../../contract/policy/schema.ts';
import { asPath, asValue, examplesOf } from '../../probes/examples.ts';

const builtIn = patterns.flatMap(({ matches, nearMisses }) => [...matches, ...nearMisses]);

/** Each text as a path and as a value of a query. */
export function exampleTargets(policies: readonly Policy[]): string[] {
  const custom = policies.flatMap(rulesOf).filter(({ isCustom }) => isCustom);
  const texts = [...builtIn, ...custom.flatMap(({ pattern }) => examplesOf(pattern))];
  return [...new Set(texts.flatMap((text) => [asPath(text), `/?value=${asValue(text)}`]))];
}
