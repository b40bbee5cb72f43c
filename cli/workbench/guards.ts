/** Compiled policies, one for each policy object. */

import type { Policy } from '../../contract/policy/schema.ts';
import { compile, type Guard } from '../../engine/index.ts';

const guards = new WeakMap<Policy, Guard>();

export function guardOf(policy: Policy): Guard {
  const known = guards.get(policy);
  if (known) return known;
  const made = compile(policy);
  guards.set(policy, made);
  return made;
}
