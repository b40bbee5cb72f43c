/** The `tcp` key of a policy is checked like a daemon file and stays as written. */
import * as z from 'zod/mini';
import { hasReference } from '../daemon/environment.ts';
import { type DaemonFile, daemonSchema } from '../daemon/schema.ts';
import { type Path, valueAt } from '../schema/problem.ts';

/** The daemon's schema is built only for a policy with the key, because building it takes time. */
export const Tcp = z.custom<DaemonFile>().check(
  z.superRefine<DaemonFile>((value, ctx) => {
    for (const issue of daemonSchema().safeParse(value).error?.issues ?? [])
      if (!hasReference(valueAt(value, issue.path as Path))) ctx.addIssue({ ...issue });
  }),
);
