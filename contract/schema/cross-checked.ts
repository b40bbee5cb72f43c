import * as z from 'zod/mini';
import { type CrossCheck, isFields, type Refinement, report } from './problem.ts';

/** Adds cross-checks. They run even when single keys are invalid, so that every problem is reported together. */
export function crossChecked<S extends z.ZodMiniType>(schema: S, ...checks: readonly CrossCheck[]): S {
  const refine = (value: unknown, ctx: Refinement) => {
    if (!isFields(value)) return;
    for (const check of checks) for (const finding of check(value)) report(ctx, finding);
  };
  return schema.check(z.superRefine(refine, { when: () => true }));
}
