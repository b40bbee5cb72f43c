import type { Policy } from '../../contract/policy/schema.ts';
import { compile, type Guard } from '../../engine/index.ts';

const guards = new WeakMap<Policy, Guard>();

export const guardOf = (policy: Policy): Guard => guards.getOrInsertComputed(policy, compile);
