import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../../platform/assets.ts';
import { endChild } from '../../../platform/testing/child.ts';

export interface Program {
  readonly child: ChildProcess;
  /**
   * Returns the next line of the output, parsed when it is a JSON object or list. @throws when the program has ended.
   */
  readonly nextLine: <Said>() => Promise<Said>;
  /** Ends the standard input of the program, which then prints its result. */
  readonly finish: () => void;
  readonly stop: () => Promise<void>;
}

/** @param file a path below dist/bench/tcp-guard */
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
