/** The `tcp` key of a policy. Its value is checked like a daemon file and stays as written. */
import * as z from 'zod/mini';
import { hasReference } from '../daemon/environment.ts';
import { type DaemonFile, daemonSchema } from '../daemon/schema.ts';
import { type Path, valueAt } from '../schema/problem.ts';

/**
 * Builds the daemon's schema only for a policy with the key, because building it takes time. Defaults are filled in when
 * the daemon's file is written, and `${NAME}` is replaced where the daemon runs.
 */
export const Tcp = z.custom<DaemonFile>().check(
  z.superRefine<DaemonFile>((value, ctx) => {
    for (const issue of daemonSchema().safeParse(value).error?.issues ?? [])
      if (!hasReference(valueAt(value, issue.path as Path))) ctx.addIssue({ ...issue });
  }),
);
