/** Runs the conformance data on one copy of the engine and reports the first case that fails. */
import { isDeepStrictEqual } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { candidateOutcome, type Outcome, regexOutcome, type Subject, verdictOutcome } from '../vectors/compare.ts';
import type { Vectors } from './vectors.ts';

export interface Job {
  /** URL of the folder with the copies of `contract` and `engine`, with a slash at its end. */
  readonly root: string;
  readonly vectors: Vectors;
}

/** `group` is the index of the verdict group. */
export type Killer = { readonly id: string; readonly group?: number } | undefined;

function* outcomes(subject: Subject, vectors: Vectors): Generator<[killer: Killer, outcome: () => Outcome]> {
  for (const test of vectors.candidates) yield [{ id: test.id }, () => candidateOutcome(subject, test)];
  for (const test of vectors.regex) yield [{ id: test.id }, () => regexOutcome(subject, test)];
  for (const [group, { policy, tests }] of vectors.verdicts.entries()) {
    const guard = subject.compile(policy);
    for (const test of tests) yield [{ id: test.id, group }, () => verdictOutcome(guard, test)];
  }
}

/** A case that throws counts as failed. */
function hasFailed(outcome: () => Outcome): boolean {
  try {
    const { expected, actual } = outcome();
    return !isDeepStrictEqual(actual, expected);
  } catch {
    return true;
  }
}

const { root, vectors } = workerData as Job;
const { compile, pathCandidates } = await import(`${root}engine/index.ts`);
const { parseRegex } = await import(`${root}contract/regex/grammar.ts`);
let killer: Killer;
for (const [one, outcome] of outcomes({ compile, pathCandidates, parseRegex }, vectors)) {
  if (!hasFailed(outcome)) continue;
  killer = one;
  break;
}
parentPort?.postMessage(killer);
