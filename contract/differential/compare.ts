/**
 * Puts one seeded stream of hostile requests to the reference engine and to every other one, and compares candidates and
 * verdicts to the byte: `npm run differential -- --count 200000 --seed 1`; `--engine go` asks one of them alone.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { escapeBytes } from '../engine/bytes.ts';
import type { PolicyFile } from '../policy.ts';
import { wholeNumber } from './arguments.ts';
import { ask, askAll, type Command } from './ask.ts';
import { engines } from './engines.ts';
import { minimise } from './minimise.ts';
import { policies } from './policies.ts';
import { type Answer, fromBase64, type Question } from './protocol.ts';
import { questionStream } from './questions.ts';
import { createRandom } from './random.ts';
import { referenceAnswers } from './reference.ts';

const randomPolicies = 40;
/** More of them say nothing new. */
const shownDifferences = 10;

interface Comparison {
  readonly name: string;
  readonly command: Command;
  readonly policies: readonly PolicyFile[];
  readonly reference: (question: Question) => Answer;
}

interface Difference {
  readonly question: Question;
  readonly reference: Answer;
  readonly other: Answer | undefined;
}

const isSame = (one: Answer, other: Answer | undefined) => JSON.stringify(one) === JSON.stringify(other);

async function firstDifferences(comparison: Comparison, seed: number, count: number): Promise<Difference[]> {
  const opening = { policies: comparison.policies };
  const questions = questionStream(seed, count, comparison.policies.length);
  const answers = ask(comparison.command, opening, questionStream(seed, count, comparison.policies.length));
  const differences: Difference[] = [];
  for (const question of questions) {
    const other = (await answers.next()).value as Answer | undefined;
    const reference = comparison.reference(question);
    if (!isSame(reference, other)) differences.push({ question, reference, other });
    if (!other || differences.length === shownDifferences) break;
  }
  const isCutOff = differences.length > 0;
  const last = isCutOff ? await answers.return(undefined) : await answers.next();
  if (!last.done) throw new Error(`${comparison.name} gave more answers than it was asked for`);
  return differences;
}

async function minimised(comparison: Comparison, { question }: Difference): Promise<Difference> {
  const answersTo = (questions: readonly Question[]) =>
    askAll(comparison.command, { policies: comparison.policies }, questions);
  const smallest = await minimise(question, async (questions) => {
    const others = await answersTo(questions);
    return questions.map((each, index) => !isSame(comparison.reference(each), others[index]));
  });
  const [other] = await answersTo([smallest]);
  return { question: smallest, reference: comparison.reference(smallest), other };
}

function textOf({ policies, name }: Comparison, { question, reference, other }: Difference): string {
  const { q, t, r, h, b, ...rest } = question;
  const readable = {
    target: escapeBytes(fromBase64(t)),
    rewritten: r && escapeBytes(fromBase64(r)),
    headers: h?.map(([header, value]) => [header, escapeBytes(fromBase64(value))]),
    body: b && escapeBytes(fromBase64(b)),
    ...rest,
  };
  return [
    `request    ${JSON.stringify(readable)}`,
    `line       ${JSON.stringify(question)}`,
    `policy     ${JSON.stringify(policies[q])}`,
    `typescript ${JSON.stringify(reference)}`,
    `${name.padEnd(10)} ${JSON.stringify(other) ?? 'no answer'}`,
    '',
  ].join('\n');
}

async function compare(comparison: Comparison, seed: number, count: number): Promise<boolean> {
  const differences = await firstDifferences(comparison, seed, count);
  for (const difference of differences) {
    const shown = difference.other ? await minimised(comparison, difference) : difference;
    process.stdout.write(`${textOf(comparison, shown)}\n`);
  }
  const result = differences.length === 0 ? 'agree' : 'differ';
  process.stdout.write(`typescript and ${comparison.name} ${result}: ${count} requests, seed ${seed}\n`);
  return differences.length === 0;
}

const options = {
  count: { type: 'string', default: '200000' },
  seed: { type: 'string', default: '1' },
  engine: { type: 'string', multiple: true, default: engines.map(({ name }) => name) },
} as const;
const { values } = parseArgs({ options });
const [seed, count] = [wholeNumber('seed', values.seed), wholeNumber('count', values.count)];
const asked = policies(createRandom(seed), randomPolicies);
const folder = mkdtempSync(join(tmpdir(), 'request-guard-differential-'));
try {
  for (const { name, prepare, takes } of engines.filter(({ name }) => values.engine.includes(name))) {
    const taken = asked.filter(takes);
    const comparison = { name, command: prepare(folder), policies: taken, reference: referenceAnswers(taken) };
    const isEqual = await compare(comparison, seed, count);
    if (!isEqual) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
