/** A part that is one question with one answer: counted once when the program ends with 0. */

import { packageRoot } from '../../platform/assets.ts';
import type { CommandOptions } from '../../platform/command.ts';
import type { Task } from '../graph/task.ts';

interface Check extends Pick<Task, 'name' | 'does' | 'needs' | 'mend'> {
  readonly tool: string;
  readonly args: readonly string[];
  readonly options?: CommandOptions;
}

export const one = { passed: 1, failed: 0, skipped: 0 } as const;

export const check = ({ tool, args, options, ...row }: Check): Task => ({
  ...row,
  run: async ({ command }) => {
    await command(tool, args, { cwd: packageRoot, ...options });
    return one;
  },
});
