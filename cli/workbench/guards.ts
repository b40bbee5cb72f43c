import type { Policy } from '../../contract/policy/schema.ts';
import { compile, type Guard } from '../../engine/index.ts';

const guards = new WeakMap<Policy, Guard>();

export function guardOf(policy: Policy): Guard {
  const cachedGuard = guards.get(policy);
  if (cachedGuard) return cachedGuard;
  const guard = compile(policy);
  guards.set(policy, guard);
  return guard;
}
