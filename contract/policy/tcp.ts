/** The `tcp` key of a policy: a daemon file in the policy, checked like one and kept as written. */
import * as z from 'zod/mini';
import { hasReference } from '../daemon/environment.ts';
import { type DaemonFile, daemonSchema } from '../daemon/schema.ts';
import { type Path, valueAt } from '../schema/problem.ts';

/**
 * Not the daemon's schema itself, which would be built with every policy: an absent key costs nothing. Its defaults are
 * filled in by who writes the daemon's file, and `${NAME}` is read where the daemon runs.
 */
export const Tcp = z.custom<DaemonFile>().check(
  z.superRefine<DaemonFile>((value, ctx) => {
    for (const issue of daemonSchema().safeParse(value).error?.issues ?? [])
      if (!hasReference(valueAt(value, issue.path as Path))) ctx.addIssue({ ...issue });
  }),
);
