#!/usr/bin/env node
/** The program: runs the command line. Commands get the environment, the streams and the signal from its context. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../platform/cache.ts';
import { exitCodes, UsageError } from '../platform/errors.ts';
import { makeFolder } from '../platform/folder.ts';
import { nodeProblem } from '../platform/node-version.ts';
import type { Context } from './program/context.ts';
import { type OnError, openTerminal } from './program/terminal.ts';

interface Ending {
  readonly controller: AbortController;
  interrupted: boolean;
  unwritten: boolean;
}

/** The first signal lets the command clean up. The second one ends the process immediately. */
function endOnSignals(ending: Ending): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (ending.interrupted) process.exit(exitCodes.interrupted);
      ending.interrupted = true;
      ending.controller.abort();
    });
  }
}

/** Returns a handler for write errors. A reader that closes the pipe (`| head -0`) is not an error. */
function writeErrorHandler(ending: Ending, complain: (text: string) => void): OnError {
  return ({ code, message }) => {
    ending.controller.abort();
    if (code === 'EPIPE' || ending.unwritten) return;
    ending.unwritten = true;
    process.exitCode = exitCodes.external;
    complain(`error: writing the output failed: ${message}.\n`);
  };
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const hint = 'change to another one';
    throw new UsageError('the working directory no longer exists', { code: 'no_folder', hint, cause });
  }
}

function createContext(ending: Ending): Context {
  const stderr = openTerminal(
    2,
    writeErrorHandler(ending, () => {}),
  );
  const stdout = openTerminal(
    1,
    writeErrorHandler(ending, (text) => stderr.write(text)),
  );
  return {
    get stdin() {
      return process.stdin; // Node starts reading at the first access
    },
    stdout,
    stderr,
    env: process.env,
    get cwd() {
      return workingDirectory();
    },
    signal: ending.controller.signal,
    now: Date.now,
  };
}

function isTooOld(): boolean {
  const problem = nodeProblem('guardcli');
  if (problem === undefined) return false;
  process.stderr.write(`error: ${problem}\n`);
  process.exitCode = exitCodes.external;
  return true;
}

/**
 * Enables Node's compile cache. Creates the folder first, because `enableCompileCache` never returns when it cannot
 * create a folder in /proc.
 */
function cacheCompiledCode(): void {
  const folder = join(cacheFolder(), 'compile');
  try {
    makeFolder(folder);
  } catch {
    return; // commands that need the cache report it
  }
  enableCompileCache(folder);
}

async function main(): Promise<void> {
  if (isTooOld()) return;
  cacheCompiledCode();
  const { commands } = await import('./commands/index.ts');
  const { runCommandLine } = await import('./program/command-line.ts');
  const ending: Ending = { controller: new AbortController(), interrupted: false, unwritten: false };
  endOnSignals(ending);
  const status = await runCommandLine(process.argv.slice(2), createContext(ending), commands);
  if (ending.interrupted) process.exitCode = exitCodes.interrupted;
  else if (!ending.unwritten) process.exitCode = status;
}

await main();
