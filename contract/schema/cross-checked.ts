/** Checks of several keys of a schema together. */
import * as z from 'zod/mini';
import { type CrossCheck, isFields, type Refinement, report } from './problem.ts';

/** Adds cross checks that run even when single keys are wrong, so that every problem is reported at once. */
export function crossChecked<S extends z.ZodMiniType>(schema: S, ...checks: readonly CrossCheck[]): S {
  const refine = (value: unknown, ctx: Refinement) => {
    if (!isFields(value)) return;
    for (const check of checks) for (const finding of check(value)) report(ctx, finding);
  };
  return schema.check(z.superRefine(refine, { when: () => true }));
}
