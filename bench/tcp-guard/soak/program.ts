/** Runs a program of the soak test in a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../../platform/assets.ts';
import { endChild } from '../../../platform/testing/child.ts';

export interface Program {
  readonly child: ChildProcess;
  /** Resolves with the next line of its output, parsed as JSON. */
  readonly nextLine: <Said>() => Promise<Said>;
  /** Ends its standard input. The program then prints its result and exits. */
  readonly finish: () => void;
  readonly stop: () => Promise<void>;
}

/** Starts a program. `file` is a path below dist/bench/tcp-guard. */
export function startProgram(file: string, ...args: readonly (string | number)[]): Program {
  const program = join(packageRoot, 'dist/bench/tcp-guard', file);
  const child = spawn(process.execPath, [program, ...args.map(String)], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => {}); // the program may have exited
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    nextLine: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${file} ended without a word`);
      return /^[{[]/.test(value) ? JSON.parse(value) : value;
    },
    finish: () => child.stdin.end(),
    stop: () => endChild(child),
  };
}
