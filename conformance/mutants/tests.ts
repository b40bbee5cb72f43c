/** Runs the commands that test a copy of the sources with a mutant. */
import { type ExecFileException, execFile } from 'node:child_process';
import process from 'node:process';
import type { Mutant } from './mutant.ts';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Exit statuses of a test that failed, and of a Go program that panicked. */
const failureStatuses: readonly unknown[] = [1, 2];

/** Whether a test failed. @throws Error when the tests did not run, which proves nothing. */
function testFails({ file, args, cwd, env = {} }: Command): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const ended = (error: ExecFileException | null, printed: string): void => {
      if (error === null || failureStatuses.includes(error.code)) resolve(error !== null);
      else reject(new Error(`${file} ${args.join(' ')} did not run: ${printed}`, { cause: error }));
    };
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: Number.POSITIVE_INFINITY };
    execFile(file, args, options, ended);
  });
}

/** Returns the index of the first command that fails, or -1. The commands after it do not run. */
export async function indexOfFailing(commands: readonly Command[]): Promise<number> {
  for (const [index, command] of commands.entries()) if (await testFails(command)) return index;
  return -1;
}

/** Weight of a detection in the same file. It is larger than the sum for all other files. */
const fileWeight = 1000;

/**
 * Returns a function that reports whether a mutant survives, because no test detects it. Tests run in this order: those
 * that detected the most mutants of the same file or are likely to detect them, those that detected the most mutants of
 * other files, the fastest ones. `run` returns the index of the test that fails, or -1.
 */
export function createSurvives<Test>(
  fastest: readonly Test[],
  isLikely: (test: Test, file: string) => boolean = () => false,
) {
  const detections: { readonly file: string; readonly test: Test }[] = [];
  return async ({ file }: Mutant, run: (order: readonly Test[]) => Promise<number>): Promise<boolean> => {
    const weights = new Map(fastest.map((test) => [test, isLikely(test, file) ? fileWeight : 0]));
    for (const one of detections)
      weights.set(one.test, (weights.get(one.test) ?? 0) + (one.file === file ? fileWeight : 1));
    const order = fastest.toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
    const test = order[await run(order)];
    if (test === undefined) return true;
    detections.push({ file, test });
    return false;
  };
}

/**
 * Counts and prints the mutants that survive. All `lanes`, such as copies of the sources, work at the same time, and
 * each tests one mutant after the other.
 */
export async function countSurvivors<Lane>(
  mutants: readonly Mutant[],
  lanes: readonly Lane[],
  survives: (mutant: Mutant, lane: Lane) => Promise<boolean>,
): Promise<number> {
  let alive = 0;
  const queue = mutants.values();
  const work = async (lane: Lane) => {
    for (const mutant of queue) {
      if (!(await survives(mutant, lane))) continue;
      process.stdout.write(`survives: ${mutant.name} (${mutant.file})\n`);
      alive += 1;
    }
  };
  await Promise.all(lanes.map(work));
  return alive;
}
