/** A program of the soak in a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../platform/assets.ts';
import { stop } from '../process.ts';

export interface Program {
  readonly child: ChildProcess;
  /** What it says next: JSON, or a word. */
  readonly says: <Said>() => Promise<Said>;
  /** Ends its standard input: it says what it has to, and ends. */
  readonly finish: () => void;
  readonly stop: () => Promise<void>;
}

/** `file`: in dist/bench. */
export function startProgram(file: string, ...args: readonly (string | number)[]): Program {
  const program = join(packageRoot, 'dist/bench', file);
  const child = spawn(process.execPath, [program, ...args.map(String)], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => {}); // it may be gone already
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    says: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${file} ended without a word`);
      return /^[{[]/.test(value) ? JSON.parse(value) : value;
    },
    finish: () => child.stdin.end(),
    stop: () => stop(child),
  };
}
