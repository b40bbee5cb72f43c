/** Each command is a file in commands/ and a row in commands/index.ts. */
import type { Command as CommanderCommand } from 'commander';
import { jsonLines, jsonText } from '../../platform/escape.ts';
import type { Context } from './context.ts';
import { hasColor, type Paint, paintFor } from './paint.ts';
import { untilDrained } from './terminal.ts';
import type { View } from './view.ts';

/** Results go to stdout, everything else to stderr. */
export interface Lines {
  readonly stdout?: string;
  readonly stderr?: string;
}

export interface Example {
  readonly line: string;
  readonly note: string;
}

/**
 * A command without its name and summary, which are in the table.
 * - O: its options and arguments by camelCase name
 * - R: its result, which is plain data and the `--json` document verbatim
 * - P: a progress step
 */
export interface Command<O, R, P = never> {
  readonly description?: string;
  readonly examples: readonly Example[];
  /** Declares arguments and options. `--json` is added to every command. */
  readonly configure: (command: CommanderCommand) => CommanderCommand;
  /** Does the work. A generator yields progress. `text` and `lines` return what is printed of it. */
  readonly run: (options: O, context: Context, mode: Mode) => Promise<R> | AsyncGenerator<P, R, void>;
  /** Returns the result as text, without a final newline. Nothing is printed for an empty text. */
  readonly text: (result: R, paint: Paint, options: O) => string | Promise<string>;
  /** Remarks that are not part of the result: printed to stderr, never with `--json`. */
  readonly notes?: (result: R, paint: Paint) => string;
  /** Returns progress as text, for use without a view. Absent: progress is not printed. Never called with `--json`. */
  readonly lines?: (progress: P, paint: Paint) => Lines;
  /** Imported only for terminals. Requires that `run` is a generator. */
  readonly view?: () => Promise<View<P>>;
  /** True for text to copy. A view would wrap its lines. */
  readonly isPlain?: (options: O) => boolean;
  /** With `--json`, each step of a stream prints its items, one per line. R is not printed. */
  readonly isStream?: (options: O) => boolean;
  /** The items of a step. Absent: the step is an array of items. */
  readonly items?: (progress: P) => readonly unknown[];
  /** Exit status for a result. Absent: 0. */
  readonly exitCode?: (result: R) => number;
}

/** A command in the table, without its types. */
export type AnyCommand = Command<never, unknown, unknown>;

/** Erases the types of a command for the table of commands. */
export function command<O, R, P = never>(definition: Command<O, R, P>): AnyCommand {
  return definition as unknown as AnyCommand;
}

/** The data for listing commands, and the import of the code. */
export interface CommandRow {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly load: () => Promise<AnyCommand | CommandGroup>;
  /** True for a group. The hint for an unknown word loads each group, whose code is only a table. */
  readonly isGroup?: true;
  /** Commands that the first argument can select, such as `list` in `guardcli sandbox list`. */
  readonly subcommands?: readonly CommandRow[];
}

/** Returns a row of the table. @param file imports the file of the command */
export const commandRow = (
  name: string,
  summary: string,
  file: () => Promise<{ readonly definition: AnyCommand | CommandGroup }>,
  more: Pick<CommandRow, 'isGroup' | 'subcommands'> = {},
): CommandRow => ({ name, summary, load: async () => (await file()).definition, ...more });

/** A command that only has subcommands: `guardcli dashboard report`. */
export interface CommandGroup {
  readonly description: string;
  readonly examples: readonly Example[];
  /** The subcommand that runs without a name. Absent: the help is printed, with exit status 2. */
  readonly usual?: string;
  readonly subcommands: readonly CommandRow[];
}

/** Form of the output. `live` draws on a terminal while the command runs. */
export type Mode = 'json' | 'live' | 'plain';
type Steps = AsyncGenerator<unknown, unknown, void>;
type Work = Promise<unknown> | Steps;

/** Chooses the form of the output. A live view needs an interactive terminal. */
export function modeFor(command: AnyCommand, options: never, json: boolean, { stdout, env }: Context): Mode {
  if (json) return 'json';
  const isDrawn = command.view && !command.isPlain?.(options);
  return isDrawn && stdout.isTTY && env.TERM !== 'dumb' && !env.CI ? 'live' : 'plain';
}

async function completeWork(work: Work, onStep: (progress: unknown) => void): Promise<unknown> {
  if (work instanceof Promise) return work;
  let step = await work.next();
  for (; !step.done; step = await work.next()) onStep(step.value);
  return step.value;
}

async function runJson(_command: AnyCommand, _options: never, work: Work, { stdout }: Context): Promise<unknown> {
  const result = await completeWork(work, () => {});
  stdout.write(`${jsonText(result)}\n`);
  return result;
}

/** Prints the items of each step as JSON lines. Waits until they are written. */
async function runLines({ items }: AnyCommand, steps: Steps, { stdout }: Context): Promise<unknown> {
  let step = await steps.next();
  for (; !step.done; step = await steps.next()) {
    const list = items ? items(step.value as never) : (step.value as readonly unknown[]);
    if (list.length > 0) stdout.write(jsonLines(list));
    await untilDrained(stdout);
  }
  return step.value;
}

async function printResult(command: AnyCommand, options: never, result: unknown, context: Context): Promise<void> {
  const { stdout, stderr, env } = context;
  const text = await command.text(result, paintFor(stdout, env), options);
  if (text) stdout.write(`${text}\n`);
  const notes = command.notes?.(result, paintFor(stderr, env));
  if (notes) stderr.write(`${notes}\n`);
}

async function runPlain(command: AnyCommand, options: never, work: Work, context: Context): Promise<unknown> {
  const { stdout, stderr, env } = context;
  const paint = paintFor(stderr, env);
  const result = await completeWork(work, (progress) => {
    const lines = command.lines?.(progress, paint) ?? {};
    if (lines.stdout !== undefined) stdout.write(`${lines.stdout}\n`);
    if (lines.stderr !== undefined) stderr.write(`${lines.stderr}\n`);
  });
  await printResult(command, options, result, context);
  return result;
}

async function runLive(command: AnyCommand, options: never, work: Work, context: Context): Promise<unknown> {
  // Ink reads FORCE_COLOR once, when it is imported.
  if (!hasColor(context.stdout, context.env)) process.env.FORCE_COLOR = '0';
  const [view, { drawLive }] = await Promise.all([command.view?.(), import('./live.tsx')]);
  if (!view || work instanceof Promise) throw new Error('only a command with a view and progress can be drawn');
  const result = await drawLive(view, work, context);
  // The result is below the view, because a view wraps long lines and cannot be higher than the terminal.
  context.stdout.write('\n');
  await printResult(command, options, result, context);
  return result;
}

const modes = { json: runJson, live: runLive, plain: runPlain } as const satisfies Record<Mode, unknown>;

/** Returns the exit status. */
export async function runAndPrint(
  command: AnyCommand,
  options: never,
  json: boolean,
  context: Context,
): Promise<number> {
  const mode = modeFor(command, options, json, context);
  const work = command.run(options, context, mode);
  const isLines = json && command.isStream?.(options) === true && !(work instanceof Promise);
  const result = isLines ? await runLines(command, work, context) : await modes[mode](command, options, work, context);
  return command.exitCode?.(result) ?? 0;
}
