/** The program: builds the context from the process and runs. Only here is the process itself touched. */

import { exitCodes, UsageError } from '../../platform/errors.ts';
import { commands } from '../commands/index.ts';
import type { Context } from './context.ts';
import { runCommandLine } from './run.ts';
import { type OnError, openTerminal } from './terminal.ts';

/** Why the run ends early. */
interface Ending {
  readonly controller: AbortController;
  /** Somebody asked us to stop. */
  interrupted: boolean;
  /** What we have to say could not be written. */
  unwritten: boolean;
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
function stopOn(ending: Ending, complain: (text: string) => void): OnError {
  return ({ code, message }) => {
    ending.controller.abort();
    if (code === 'EPIPE' || ending.unwritten) return;
    ending.unwritten = true;
    process.exitCode = exitCodes.external;
    complain(`guardcli: writing the output failed: ${message}\n`);
  };
}

/** The value of `make`, made when it is first asked for. */
function late<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UsageError('the working directory is gone', { code: 'no_folder', hint: 'change to one that is', cause });
  }
}

function createContext(ending: Ending): Context {
  const stderr = late(() =>
    openTerminal(
      2,
      stopOn(ending, () => {}),
    ),
  );
  const stdout = late(() =>
    openTerminal(
      1,
      stopOn(ending, (text) => stderr().write(text)),
    ),
  );
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return stdout();
    },
    get stderr() {
      return stderr();
    },
    get cwd() {
      return workingDirectory();
    },
    env: process.env,
    signal: ending.controller.signal,
    now: Date.now,
  };
}

async function main(): Promise<void> {
  const ending: Ending = { controller: new AbortController(), interrupted: false, unwritten: false };
  endOnSignals(ending);
  const status = await runCommandLine(process.argv.slice(2), createContext(ending), commands);
  if (ending.interrupted) process.exitCode = exitCodes.interrupted;
  else if (!ending.unwritten) process.exitCode = status;
}

await main();
