/** The program: builds the context from the process, runs, reports. Only here is the process itself touched. */
import type { Context, Terminal } from './command.ts';
import { commands } from './commands/index.ts';
import { exitCodeOf, exitCodes } from './errors.ts';
import { paintFor } from './paint.ts';
import { runProgram } from './program.ts';
import { errorJson, errorText } from './report.ts';

interface Ending {
  readonly controller: AbortController;
  /** Set when somebody asked us to stop. */
  interrupted: boolean;
}

/** The first signal asks the command to clean up and end; a second one does not wait. */
function endOnSignals(ending: Ending): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (ending.interrupted) process.exit(exitCodes.interrupted);
      ending.interrupted = true;
      ending.controller.abort();
    });
  }
}

/** A reader that went away (`| head -0`) is no error; anything else that keeps us from writing is. */
function watchStream(stream: Terminal, name: string, ending: Ending): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    ending.controller.abort();
    if (error.code === 'EPIPE') return;
    process.exitCode = exitCodes.external;
    if (stream !== process.stderr) process.stderr.write(`guardcli: writing to ${name} failed: ${error.message}\n`);
  });
}

function createContext(ending: Ending): Context {
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
    env: process.env,
    cwd: process.cwd(),
    signal: ending.controller.signal,
    now: Date.now,
  };
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

function report(error: unknown, argv: readonly string[], { stderr, env }: Context): void {
  stderr.write(`${wantsJson(argv) ? errorJson(error) : errorText(error, paintFor(stderr, env))}\n`);
}

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  const ending: Ending = { controller: new AbortController(), interrupted: false };
  const context = createContext(ending);
  endOnSignals(ending);
  watchStream(process.stdout, 'standard output', ending);
  watchStream(process.stderr, 'standard error', ending);
  try {
    process.exitCode = await runProgram(argv, context, commands);
  } catch (error) {
    // Whatever a command throws because it was told to stop is no news.
    if (!ending.controller.signal.aborted) {
      process.exitCode = exitCodeOf(error);
      report(error, argv, context);
    }
  }
  if (ending.interrupted) process.exitCode = exitCodes.interrupted;
}

await main();
