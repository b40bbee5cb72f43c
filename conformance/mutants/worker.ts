/** Runs the conformance data on one copy of the engine and reports the first test that fails. */
import { isDeepStrictEqual } from 'node:util';
import { deserialize } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { parseRegex } from '../../contract/regex/grammar.ts';
import { compile, pathCandidates } from '../../engine/index.ts';
import { candidateOutcome, type Outcome, regexOutcome, type Subject, verdictOutcome } from '../vectors/compare.ts';
import type { Group } from './vectors.ts';

const subject: Subject = { compile, pathCandidates, parseRegex };

export interface Report {
  /** The id of the test that failed. */
  readonly failed?: string;
  /** Milliseconds of each group that ran. Groups behind the one that failed do not run. */
  readonly times: readonly number[];
}

function* outcomes(group: Group): Generator<[id: string, outcome: () => Outcome]> {
  if (group.kind === 'candidates')
    for (const test of group.tests) yield [test.id, () => candidateOutcome(subject, test)];
  else if (group.kind === 'regex') for (const test of group.tests) yield [test.id, () => regexOutcome(subject, test)];
  else {
    const guard = subject.compile(group.policy);
    for (const test of group.tests) yield [test.id, () => verdictOutcome(guard, test)];
  }
}

/** A test that throws counts as failed. */
function hasFailed(outcome: () => Outcome): boolean {
  try {
    const { expected, actual } = outcome();
    return !isDeepStrictEqual(actual, expected);
  } catch {
    return true;
  }
}

function failedTest(group: Group): string | undefined {
  for (const [id, outcome] of outcomes(group)) if (hasFailed(outcome)) return id;
  return undefined;
}

/** Runs the groups up to the first that fails. `groups` are serialized. */
function runGroups(groups: readonly SharedArrayBuffer[]): Report {
  const times: number[] = [];
  for (const group of groups) {
    const start = performance.now();
    const failed = failedTest(deserialize(Buffer.from(group)) as Group);
    times.push(performance.now() - start);
    if (failed !== undefined) return { failed, times };
  }
  return { times };
}

parentPort?.postMessage(runGroups(workerData as readonly SharedArrayBuffer[]));
