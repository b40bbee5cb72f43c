/** From arguments to a command of the table, or to the help of the program. */

import { exitCodes, UsageError } from '../../platform/errors.ts';
import type { CommandRow } from './command.ts';
import type { Context } from './context.ts';
import { paintFor } from './paint.ts';

/** Spellings that stand for others: `help x` is `x --help`, `--version` the command of that name. */
function canonical(argv: readonly string[], table: readonly CommandRow[]): readonly string[] {
  const [first, second, ...rest] = argv;
  if (first === '--version' || first === '-V') return ['version', ...argv.slice(1)];
  if (first !== 'help') return argv;
  if (second === undefined) return ['--help'];
  return table.some(({ name }) => name === second) ? [second, '--help', ...rest] : [second];
}

async function unknown(word: string, table: readonly CommandRow[]): Promise<UsageError> {
  const { didYouMean } = await import('../../contract/values/nearest.ts');
  const kind = word.startsWith('-') ? 'option' : 'command';
  const known = kind === 'option' ? ['--help', '--version'] : table.map(({ name }) => name);
  const hint = didYouMean(word, known) ?? 'guardcli --help shows what there is';
  return new UsageError(`unknown ${kind} '${word}'`, { code: `unknown_${kind}`, hint });
}

/**
 * Runs one command line and returns its exit status.
 * @throws GuardError for everything that a user or another program did wrong
 */
export async function runProgram(
  rawArgv: readonly string[],
  context: Context,
  table: readonly CommandRow[],
): Promise<number> {
  const argv = canonical(rawArgv, table);
  const [first] = argv;
  const row = table.find(({ name }) => name === first);
  if (row) {
    const { runCommand } = await import('./command-line.ts');
    return runCommand(row, argv.slice(1), context);
  }
  const isAsked = first === '--help' || first === '-h';
  if (first !== undefined && !isAsked) throw await unknown(first, table);
  const terminal = isAsked ? context.stdout : context.stderr;
  const { programHelp } = await import('./help.ts');
  terminal.write(programHelp(table, terminal, paintFor(terminal, context.env)));
  return isAsked ? exitCodes.done : exitCodes.usage;
}
