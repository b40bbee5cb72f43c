/** What a command is, and how its work reaches the user. Each one is a file in commands/ and a row in commands/index.ts. */
import type { Command as CommanderCommand } from 'commander';
import type { ComponentType } from 'react';
import { jsonLines, jsonText } from '../../platform/escape.ts';
import type { Context } from './context.ts';
import { hasColour, type Paint, paintFor } from './paint.ts';
import { drained } from './terminal.ts';

/** What a live view is given: the latest progress. It holds no work, timer or fetch; the result is printed below it. */
export interface ViewProps<P> {
  readonly progress: P | undefined;
  /** For text that is painted by us and not by Ink. */
  readonly paint: Paint;
}
export type View<P> = ComponentType<ViewProps<P>>;

/** What one step of progress prints where there is no view: the product to stdout, everything else to stderr. */
export interface Lines {
  readonly stdout?: string;
  readonly stderr?: string;
}

export interface Example {
  readonly line: string;
  readonly note: string;
}

/**
 * A command but for its name and summary, which stand in the table: O are its options and arguments by their camelCase names, R is its result, P a step of progress.
 * R is plain data: it is the `--json` document as it stands.
 */
export interface Command<O, R, P = never> {
  /** Paragraphs below the summary in the help of the command. */
  readonly description?: string;
  readonly examples: readonly Example[];
  /** Declares arguments and options, nothing else; `--json` is added to every command. */
  readonly configure: (command: CommanderCommand) => CommanderCommand;
  /** Does the work; a generator yields progress on the way. Never prints, never reads `process`. */
  readonly run: (options: O, context: Context) => Promise<R> | AsyncGenerator<P, R, void>;
  /** The result as text without a final newline; no colour but through `paint`. Empty: nothing is printed. */
  readonly text: (result: R, paint: Paint) => string;
  /** Remarks that do not belong to the product: printed to stderr, never with `--json`. */
  readonly notes?: (result: R, paint: Paint) => string;
  /** Progress where there is no view; absent: silent. Never called with `--json`. */
  readonly lines?: (progress: P, paint: Paint) => Lines;
  /** The live view for terminals, loaded only there; `run` is then a generator. */
  readonly view?: () => Promise<View<P>>;
  /** Whether these options ask for text that is to be copied: a view would wrap its lines. */
  readonly isPlain?: (options: O) => boolean;
  /** Whether progress with these options is a stream of results: with `--json` each step prints its items, one a line, and R nothing. */
  readonly isStream?: (options: O) => boolean;
  /** The items of a step; absent: the step is a list of them. */
  readonly items?: (progress: P) => readonly unknown[];
  /** Status for a negative answer (1); absent: 0. */
  readonly exitCode?: (result: R) => number;
}

/** A command whose types are known only to itself. */
export type AnyCommand = Command<never, unknown, unknown>;

/** Forgets the types of a command, for the table of commands. */
export function command<O, R, P = never>(definition: Command<O, R, P>): AnyCommand {
  return definition as unknown as AnyCommand;
}

/** Row of the table of commands: what the list of commands needs, and how to get the rest. */
export interface CommandRow {
  readonly name: string;
  /** One clause. */
  readonly summary: string;
  readonly load: () => Promise<AnyCommand>;
}

type Mode = 'json' | 'live' | 'plain';
type Steps = AsyncGenerator<unknown, unknown, void>;
type Work = Promise<unknown> | Steps;

/** Live views need a terminal that a person looks at. */
export function modeFor(command: AnyCommand, options: never, json: boolean, { stdout, env }: Context): Mode {
  if (json) return 'json';
  const isDrawn = command.view && !command.isPlain?.(options);
  return isDrawn && stdout.isTTY && env.TERM !== 'dumb' && !env.CI ? 'live' : 'plain';
}

async function complete(work: Work, onStep: (progress: unknown) => void): Promise<unknown> {
  if (work instanceof Promise) return work;
  let step = await work.next();
  for (; !step.done; step = await work.next()) onStep(step.value);
  return step.value;
}

async function runJson(_command: AnyCommand, work: Work, { stdout }: Context): Promise<unknown> {
  const result = await complete(work, () => {});
  stdout.write(`${jsonText(result)}\n`);
  return result;
}

/** One line for each item of a step; the work goes on when they are written. */
async function runLines({ items }: AnyCommand, steps: Steps, { stdout }: Context): Promise<unknown> {
  let step = await steps.next();
  for (; !step.done; step = await steps.next()) {
    const list = items ? items(step.value as never) : (step.value as readonly unknown[]);
    if (list.length > 0) stdout.write(jsonLines(list));
    await drained(stdout);
  }
  return step.value;
}

function printResult(command: AnyCommand, result: unknown, { stdout, stderr, env }: Context): void {
  const text = command.text(result, paintFor(stdout, env));
  if (text) stdout.write(`${text}\n`);
  const notes = command.notes?.(result, paintFor(stderr, env));
  if (notes) stderr.write(`${notes}\n`);
}

async function runPlain(command: AnyCommand, work: Work, context: Context): Promise<unknown> {
  const { stdout, stderr, env } = context;
  const paint = paintFor(stderr, env);
  const result = await complete(work, (progress) => {
    const lines = command.lines?.(progress, paint) ?? {};
    if (lines.stdout !== undefined) stdout.write(`${lines.stdout}\n`);
    if (lines.stderr !== undefined) stderr.write(`${lines.stderr}\n`);
  });
  printResult(command, result, context);
  return result;
}

async function runLive(command: AnyCommand, work: Work, context: Context): Promise<unknown> {
  // Ink's colours look at FORCE_COLOR alone, at the moment they are loaded.
  if (!hasColour(context.stdout, context.env)) process.env.FORCE_COLOR = '0';
  const [view, { drawLive }] = await Promise.all([command.view?.(), import('../views/live.tsx')]);
  if (!view || work instanceof Promise) throw new Error('only a command with a view and progress can be drawn');
  const result = await drawLive(view, work, context);
  // Below the view and not in it: a view redraws at most the height of the terminal, and wraps lines to copy.
  context.stdout.write('\n');
  printResult(command, result, context);
  return result;
}

const modes = { json: runJson, live: runLive, plain: runPlain } as const satisfies Record<Mode, unknown>;

/** Runs the command, prints what it has to say and returns its exit status. */
export async function present(command: AnyCommand, options: never, json: boolean, context: Context): Promise<number> {
  const work = command.run(options, context);
  const isLines = json && command.isStream?.(options) === true && !(work instanceof Promise);
  const result = isLines
    ? await runLines(command, work, context)
    : await modes[modeFor(command, options, json, context)](command, work, context);
  return command.exitCode?.(result) ?? 0;
}
