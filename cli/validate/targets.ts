/** What each target of `generate` makes of a policy: what cannot be written there, and what holds there only with more. */
import type { Policy } from '../../contract/policy/schema.ts';
import { GuardError } from '../../platform/errors.ts';
import { limitsOf } from '../targets/limits.ts';
import { type Form, type Target, targets } from '../targets/table.ts';

export interface TargetReport {
  /** Name of the form. */
  readonly target: string;
  /** Whether `generate` can write the policy for it. */
  readonly generates: boolean;
  /** Why not, or what is different there, each a clause that names its key first. */
  readonly limits: readonly string[];
}

/** Why the target cannot have this policy; undefined when it can. */
async function refusal({ load }: Form, policy: Policy): Promise<string | undefined> {
  try {
    (await load())(policy);
    return undefined;
  } catch (error) {
    if (error instanceof GuardError) return error.message;
    throw error;
  }
}

async function report(target: Target, form: Form, policy: Policy): Promise<TargetReport> {
  const refused = await refusal(form, policy);
  const limits = limitsOf(target.name, policy);
  return {
    target: form.name,
    generates: refused === undefined,
    limits: [...(refused === undefined ? [] : [`not possible: ${refused}`]), ...limits],
  };
}

/** Every target, in the order of the table. */
export function reportTargets(policy: Policy): Promise<TargetReport[]> {
  return Promise.all(targets.flatMap((target) => target.forms.map((form) => report(target, form, policy))));
}
