/** Runs the conformance data on one copy of the engine until a case fails, and says which one. */
import { isDeepStrictEqual } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { candidateOutcome, type Outcome, regexOutcome, type Subject, verdictOutcome } from '../engine/conformance.ts';
import type { Vectors } from './vectors.ts';

export interface Job {
  /** URL of the folder that holds the copy of `contract`, with a slash at its end. */
  readonly contract: string;
  readonly vectors: Vectors;
}

/** Id of the case that failed, or undefined when none did. */
export type Killer = string | undefined;

function* outcomes(subject: Subject, vectors: Vectors): Generator<[id: string, outcome: () => Outcome]> {
  for (const test of vectors.candidates) yield [test.id, () => candidateOutcome(subject, test)];
  for (const test of vectors.regex) yield [test.id, () => regexOutcome(subject, test)];
  for (const { policy, tests } of vectors.verdicts) {
    const guard = subject.compile(policy);
    for (const test of tests) yield [test.id, () => verdictOutcome(guard, test)];
  }
}

/** A case that throws has failed, too. */
function hasFailed(outcome: () => Outcome): boolean {
  try {
    const { expected, actual } = outcome();
    return !isDeepStrictEqual(actual, expected);
  } catch {
    return true;
  }
}

const { contract, vectors } = workerData as Job;
const { compile, pathCandidates } = await import(`${contract}engine/index.ts`);
const { parseRegex } = await import(`${contract}regex/grammar.ts`);
let killer: Killer;
for (const [id, outcome] of outcomes({ compile, pathCandidates, parseRegex }, vectors)) {
  if (!hasFailed(outcome)) continue;
  killer = id;
  break;
}
parentPort?.postMessage(killer);
