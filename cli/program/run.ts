/** A command line from its arguments to its status: whatever goes wrong is printed, nothing is thrown. */

import { exitCodeOf, exitCodes } from '../../platform/errors.ts';
import type { CommandRow } from './command.ts';
import type { Context } from './context.ts';
import { paintFor } from './paint.ts';
import { runProgram } from './program.ts';
import { errorJson, errorText } from './report.ts';

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

export async function runCommandLine(
  argv: readonly string[],
  context: Context,
  table: readonly CommandRow[],
): Promise<number> {
  try {
    return await runProgram(argv, context, table);
  } catch (error) {
    // Whatever a command throws because it was told to stop is no news.
    if (context.signal.aborted) return exitCodes.done;
    const { stderr, env } = context;
    stderr.write(`${wantsJson(argv) ? errorJson(error) : errorText(error, paintFor(stderr, env))}\n`);
    return exitCodeOf(error);
  }
}
