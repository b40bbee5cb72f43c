/** How a command's work reaches the user, decided once: one JSON document, a live view, or plain text. */
import type { AnyCommand, Context } from './command.ts';
import { jsonText } from './escape.ts';
import { hasColour, paintFor } from './paint.ts';

type Mode = 'json' | 'live' | 'plain';
type Steps = AsyncGenerator<unknown, unknown, void>;

/** Live views need a terminal that a person looks at. */
export function modeFor(command: AnyCommand, json: boolean, { stdout, env }: Context): Mode {
  if (json) return 'json';
  return command.view && stdout.isTTY && env.TERM !== 'dumb' && !env.CI ? 'live' : 'plain';
}

async function runQuietly(steps: Steps): Promise<unknown> {
  let step = await steps.next();
  while (!step.done) step = await steps.next();
  return step.value;
}

async function runWithLines(command: AnyCommand, steps: Steps, { stdout, stderr, env }: Context): Promise<unknown> {
  const paint = paintFor(stderr, env);
  let step = await steps.next();
  for (; !step.done; step = await steps.next()) {
    const lines = command.lines?.(step.value, paint) ?? {};
    if (lines.stdout !== undefined) stdout.write(`${lines.stdout}\n`);
    if (lines.stderr !== undefined) stderr.write(`${lines.stderr}\n`);
  }
  return step.value;
}

async function runLive(command: AnyCommand, steps: Steps, context: Context): Promise<unknown> {
  // Ink's colours look at FORCE_COLOR alone, at the moment they are loaded.
  if (!hasColour(context.stdout, context.env)) process.env.FORCE_COLOR = '0';
  const [view, live] = await Promise.all([command.view?.(), import('./views/live.tsx')]);
  if (!view) throw new Error(`${command.name} has no view`);
  return live.drawLive(view, steps, context);
}

function printText(command: AnyCommand, result: unknown, { stdout, stderr, env }: Context): void {
  stdout.write(`${command.text(result, paintFor(stdout, env))}\n`);
  const notes = command.notes?.(result, paintFor(stderr, env));
  if (notes) stderr.write(`${notes}\n`);
}

const modes = {
  json: async (_command: AnyCommand, steps: Steps, { stdout }: Context) => {
    const result = await runQuietly(steps);
    stdout.write(`${jsonText(result)}\n`);
    return result;
  },
  live: runLive,
  plain: async (command: AnyCommand, steps: Steps, context: Context) => {
    const result = await runWithLines(command, steps, context);
    printText(command, result, context);
    return result;
  },
};

/** Runs the command, prints what it has to say and returns its exit status. */
export async function present(command: AnyCommand, options: never, json: boolean, context: Context): Promise<number> {
  const mode = modes[modeFor(command, json, context)];
  const result = await mode(command, command.run(options, context), context);
  return command.exitCode?.(result) ?? 0;
}
