/** The policy file that commands use when none is named. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../program/context.ts';

export const defaultFile = 'guard.json';

/** Whether the working directory has one. */
export function hasDefaultFile({ cwd }: Context): boolean {
  return existsSync(resolve(cwd, defaultFile));
}
