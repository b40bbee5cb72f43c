/**
 * Compares every engine with the reference engine on generated and recorded requests: `npm run differential -- --count
 * 200000 --seed 1`. `--engine go` compares only that one. `--together` runs all engines at the same time, with the
 * policies that all accept. `--bans` compares only ban lists.
 */
import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { PolicyFile } from '../../contract/policy/schema.ts';
import { escapeBytes } from '../../engine/bytes.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { wholeNumber } from './arguments.ts';
import { askAll, type Command, converse } from './ask.ts';
import { banPolicies, banStream, writeGeneratedBans } from './bans.ts';
import { type EngineRow, engines } from './engines.ts';
import { minimize } from './minimize.ts';
import { policies } from './policies.ts';
import { type Answer, fromBase64, type Question } from './protocol.ts';
import { mixedStream } from './questions.ts';
import { createRandom, type Random } from './random.ts';
import { referenceAnswers } from './reference.ts';

const randomPolicies = 40;
const mostShownDifferences = 10;
const banPolicyCount = 24;
/** One request in this number is about ban lists. */
const bansDivisor = 5;
/** A small batch keeps the output pipes of the engines from filling up. */
const batchSize = 32;

interface Comparison {
  readonly name: string;
  readonly command: Command;
  readonly policies: readonly PolicyFile[];
  readonly reference: (question: Question) => Answer;
}

/** What the engines are asked: `count` questions of a stream about policies. */
interface Subject {
  readonly title: string;
  readonly policies: readonly PolicyFile[];
  readonly stream: (count: number, policyCount: number) => Generator<Question>;
  readonly count: number;
}

interface Difference {
  readonly question: Question;
  readonly reference: Answer;
  readonly other: Answer | undefined;
}

interface Row {
  readonly question: Question;
  readonly line: string;
}

const isEqualAnswer = (one: Answer, other: Answer | undefined) => JSON.stringify(one) === JSON.stringify(other);

interface RunningComparison {
  readonly put: (rows: readonly Row[], lines: readonly string[]) => Promise<void>;
  /** Returns the first differences. */
  readonly end: () => Promise<Difference[]>;
}

function begin({ name, command, policies }: Comparison): RunningComparison {
  const differences: Difference[] = [];
  let unanswered: Row[] = [];
  let answered = 0;
  const conversation = converse(command, { policies }, (line) => {
    const row = unanswered[answered];
    if (!row) throw new Error(`${name} gave more answers than it was asked for`);
    answered += 1;
    if (line === row.line || differences.length === mostShownDifferences) return;
    const [reference, other] = [JSON.parse(row.line) as Answer, JSON.parse(line) as Answer];
    if (!isEqualAnswer(reference, other)) differences.push({ question: row.question, reference, other });
  });
  const put = async (rows: readonly Row[], lines: readonly string[]): Promise<void> => {
    unanswered = [...unanswered.slice(answered), ...rows];
    answered = 0;
    await conversation.put(lines);
  };
  const end = async (): Promise<Difference[]> => {
    await conversation.end();
    const row = unanswered[answered];
    if (row) differences.push({ question: row.question, reference: JSON.parse(row.line), other: undefined });
    return differences;
  };
  return { put, end };
}

/** Returns the differences of each comparison. All comparisons have the same policies and the same reference. */
async function differencesOf(
  comparisons: readonly Comparison[],
  questions: Iterable<Question>,
): Promise<Difference[][]> {
  const [{ reference }] = comparisons as [Comparison];
  const running = comparisons.map(begin);
  let rows: Row[] = [];
  const put = async (): Promise<void> => {
    const lines = rows.map(({ question }) => JSON.stringify(question));
    await Promise.all(running.map((one) => one.put(rows, lines)));
    rows = [];
    await nextTurn(); // lets this process read the answers that have arrived
  };
  for (const question of questions) {
    rows.push({ question, line: JSON.stringify(reference(question)) });
    if (rows.length === batchSize) await put();
  }
  await put();
  return Promise.all(running.map((one) => one.end()));
}

async function minimizeDifference(comparison: Comparison, { question }: Difference): Promise<Difference> {
  const answersTo = (questions: readonly Question[]) =>
    askAll(comparison.command, { policies: comparison.policies }, questions);
  const smallest = await minimize(question, async (questions) => {
    const others = await answersTo(questions);
    return questions.map((each, index) => !isEqualAnswer(comparison.reference(each), others[index]));
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

async function compare(comparisons: readonly Comparison[], { stream, count, title }: Subject): Promise<boolean> {
  const policyCount = comparisons[0]?.policies.length ?? 0;
  const found = await differencesOf(comparisons, stream(count, policyCount));
  for (const [index, differences] of found.entries()) {
    const comparison = comparisons[index] as Comparison;
    for (const difference of differences) {
      const shown = difference.other ? await minimizeDifference(comparison, difference) : difference;
      process.stdout.write(`${textOf(comparison, shown)}\n`);
    }
    const result = differences.length === 0 ? 'agree' : 'differ';
    process.stdout.write(`typescript and ${comparison.name} ${result}: ${count} ${title}, seed ${seed}\n`);
  }
  return found.every((differences) => differences.length === 0);
}

const options = {
  count: { type: 'string', default: '200000' },
  seed: { type: 'string', default: '1' },
  engine: { type: 'string', multiple: true, default: engines.map(({ name }) => name) },
  together: { type: 'boolean', default: false },
  bans: { type: 'boolean', default: false },
} as const;
const { values } = parseArgs({ options });
const [seed, count] = [wholeNumber('seed', values.seed), wholeNumber('count', values.count)];
const chosenEngines = engines.filter(({ name }) => values.engine.includes(name));
const groups: readonly (readonly EngineRow[])[] = values.together
  ? [chosenEngines]
  : [...Map.groupBy(chosenEngines, (row) => (row.divisor === undefined ? row.accepts : row)).values()];
const random = (): Random => createRandom(seed);
const file = writeGeneratedBans(random());
const subjects = [
  {
    title: 'requests',
    policies: policies(random(), randomPolicies, file),
    stream: (most, policyCount) => mixedStream(seed, most, policyCount),
    count: values.bans ? 0 : count,
  },
  {
    title: 'requests about ban lists',
    policies: banPolicies(random(), banPolicyCount, file),
    stream: (most, policyCount) => banStream(random(), most, policyCount),
    count: Math.ceil(count / bansDivisor),
  },
] as const satisfies readonly Subject[];

async function compareGroup(group: readonly EngineRow[], subject: Subject): Promise<boolean> {
  const acceptedPolicies = subject.policies.filter((policy) => group.every((engine) => engine.accepts(policy)));
  const reference = referenceAnswers(acceptedPolicies);
  const comparisons = group.map(({ name, build }) => ({
    ...{ name, policies: acceptedPolicies, reference },
    command: build(scratchFolder(`guard-${name}-`)),
  }));
  const [{ divisor = 1 } = {}] = group;
  return compare(comparisons, { ...subject, count: Math.ceil(subject.count / divisor) });
}

for (const subject of subjects.filter(({ count: asked }) => asked > 0))
  for (const group of groups) if (!(await compareGroup(group, subject))) process.exitCode = 1;
