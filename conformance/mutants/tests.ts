/** Runs the commands that test a copy of the sources with a mutant. */
import { type ExecFileException, execFile } from 'node:child_process';
import process from 'node:process';
import type { Mutant } from './mutant.ts';
import type { Proofs } from './proofs.ts';

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

/** A test that failed, and the name that its proof has. */
export interface Failure<Test> {
  readonly test: Test;
  readonly name: string;
}

/**
 * Returns a function that runs tests on a mutant and returns the name of the first one that fails, or undefined when the
 * mutant survives. Tests run in this order: those that detected the most mutants of the same file or are likely to detect
 * them, those that detected the most mutants of other files, the fastest ones.
 */
export function createDetect<Test>(
  fastest: readonly Test[],
  isLikely: (test: Test, file: string) => boolean = () => false,
) {
  const detections: { readonly file: string; readonly test: Test }[] = [];
  return async (
    { file }: Mutant,
    run: (order: readonly Test[]) => Promise<Failure<Test> | undefined>,
  ): Promise<string | undefined> => {
    const weights = new Map(fastest.map((test) => [test, isLikely(test, file) ? fileWeight : 0]));
    for (const one of detections)
      weights.set(one.test, (weights.get(one.test) ?? 0) + (one.file === file ? fileWeight : 1));
    const failure = await run(fastest.toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0)));
    if (failure) detections.push({ file, test: failure.test });
    return failure?.name;
  };
}

/**
 * Records the mutants that a test detects, and prints and counts those that survive. All `lanes`, such as copies of the
 * sources, work at the same time, and each tests one mutant after the other.
 */
export async function countSurvivors<Lane>(
  mutants: readonly Mutant[],
  lanes: readonly Lane[],
  detect: (mutant: Mutant, lane: Lane) => Promise<string | undefined>,
  proofs: Proofs,
): Promise<number> {
  let alive = 0;
  const queue = mutants.values();
  const work = async (lane: Lane) => {
    for (const mutant of queue) {
      const test = await detect(mutant, lane);
      if (test !== undefined) proofs.add(mutant, test);
      else {
        process.stdout.write(`survives: ${mutant.name} (${mutant.file})\n`);
        alive += 1;
      }
    }
  };
  await Promise.all(lanes.map(work));
  return alive;
}

/** Returns the last line of the output. */
export const sumOf = (of: string, all: number, pending: number, alive: number): string =>
  `${all - alive} of ${all} mutants of ${of} are noticed, ${all - pending} of them by unchanged tests of unchanged files\n`;
