import type { Policy } from '../../contract/policy/schema.ts';
import { GuardError } from '../../platform/errors.ts';
import { limitsOf } from '../targets/limits.ts';
import { type Form, type Target, targets } from '../targets/table.ts';

export interface TargetReport {
  readonly target: string;
  /** False when the target cannot represent the policy. */
  readonly generates: boolean;
  /** What the target cannot do with the policy: clauses that start with the key of the setting. */
  readonly limits: readonly string[];
}

async function refusalOf({ load }: Form, policy: Policy): Promise<string | undefined> {
  try {
    (await load())(policy);
    return undefined;
  } catch (error) {
    if (error instanceof GuardError) return error.message;
    throw error;
  }
}

async function reportTarget(target: Target, form: Form, policy: Policy): Promise<TargetReport> {
  const refused = await refusalOf(form, policy);
  const limits = limitsOf(target.name, policy);
  return {
    target: form.name,
    generates: refused === undefined,
    limits: [...(refused === undefined ? [] : [`not possible: ${refused}`]), ...limits],
  };
}

export function reportTargets(policy: Policy): Promise<TargetReport[]> {
  return Promise.all(targets.flatMap((target) => target.forms.map((form) => reportTarget(target, form, policy))));
}
