/** How a command's work reaches the user, decided once: one JSON document, a live view, or plain text. */

import { jsonLines, jsonText } from '../../platform/escape.ts';
import type { AnyCommand } from './command.ts';
import type { Context } from './context.ts';
import { hasColour, paintFor } from './paint.ts';
import { drained } from './terminal.ts';

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
async function runLines(steps: Steps, { stdout }: Context): Promise<unknown> {
  let step = await steps.next();
  for (; !step.done; step = await steps.next()) {
    stdout.write(jsonLines(step.value as readonly unknown[]));
    await drained(stdout);
  }
  return step.value;
}

async function runPlain(command: AnyCommand, work: Work, { stdout, stderr, env }: Context): Promise<unknown> {
  const paint = paintFor(stderr, env);
  const result = await complete(work, (progress) => {
    const lines = command.lines?.(progress, paint) ?? {};
    if (lines.stdout !== undefined) stdout.write(`${lines.stdout}\n`);
    if (lines.stderr !== undefined) stderr.write(`${lines.stderr}\n`);
  });
  const text = command.text(result, paintFor(stdout, env));
  if (text) stdout.write(`${text}\n`);
  const notes = command.notes?.(result, paint);
  if (notes) stderr.write(`${notes}\n`);
  return result;
}

async function runLive(command: AnyCommand, work: Work, context: Context): Promise<unknown> {
  // Ink's colours look at FORCE_COLOR alone, at the moment they are loaded.
  if (!hasColour(context.stdout, context.env)) process.env.FORCE_COLOR = '0';
  const [view, { drawLive }] = await Promise.all([command.view?.(), import('../views/live.tsx')]);
  if (!view || work instanceof Promise) throw new Error('only a command with a view and progress can be drawn');
  return drawLive(view, work, context);
}

const modes = { json: runJson, live: runLive, plain: runPlain } as const satisfies Record<Mode, unknown>;

/** Runs the command, prints what it has to say and returns its exit status. */
export async function present(command: AnyCommand, options: never, json: boolean, context: Context): Promise<number> {
  const work = command.run(options, context);
  const isLines = json && command.isStream?.(options) === true && !(work instanceof Promise);
  const result = isLines
    ? await runLines(work, context)
    : await modes[modeFor(command, options, json, context)](command, work, context);
  return command.exitCode?.(result) ?? 0;
}
