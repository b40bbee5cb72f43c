/**
 * Puts one seeded stream of hostile requests to the reference engine and to every other one, and compares candidates and
 * verdicts to the byte: `npm run differential -- --count 200000 --seed 1`; `--engine go` asks one of them alone. Engines
 * that take the same policies are asked at once; with `--together` all are, about the policies that each of them takes.
 * Traefik's interpreter is slow, and gets a part of the questions.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { PolicyFile } from '../../contract/policy/schema.ts';
import { escapeBytes } from '../../engine/bytes.ts';
import { wholeNumber } from './arguments.ts';
import { askAll, type Command, converse } from './ask.ts';
import { type EngineRow, engines } from './engines.ts';
import { minimize } from './minimize.ts';
import { policies } from './policies.ts';
import { type Answer, fromBase64, type Question } from './protocol.ts';
import { questionStream } from './questions.ts';
import { createRandom } from './random.ts';
import { referenceAnswers } from './reference.ts';

const randomPolicies = 40;
/** More of them say nothing new. */
const shownDifferences = 10;
/** Questions that are answered here before the answers of the others are read: few, so that none waits to be read. */
const batchSize = 32;

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

/** A question, and the line that answers it. */
interface Row {
  readonly question: Question;
  readonly line: string;
}

const isSame = (one: Answer, other: Answer | undefined) => JSON.stringify(one) === JSON.stringify(other);

/** An engine that is being asked. */
interface Asked {
  readonly put: (rows: readonly Row[], lines: readonly string[]) => Promise<void>;
  /** The first differences; @throws when the engine did not answer as often as it was asked. */
  readonly end: () => Promise<Difference[]>;
}

function begin({ name, command, policies }: Comparison): Asked {
  const differences: Difference[] = [];
  let open: Row[] = [];
  let answered = 0;
  const conversation = converse(command, { policies }, (line) => {
    const row = open[answered];
    if (!row) throw new Error(`${name} gave more answers than it was asked for`);
    answered += 1;
    if (line === row.line || differences.length === shownDifferences) return;
    const [reference, other] = [JSON.parse(row.line) as Answer, JSON.parse(line) as Answer];
    if (!isSame(reference, other)) differences.push({ question: row.question, reference, other });
  });
  const put = async (rows: readonly Row[], lines: readonly string[]): Promise<void> => {
    open = [...open.slice(answered), ...rows];
    answered = 0;
    await conversation.put(lines);
  };
  const end = async (): Promise<Difference[]> => {
    await conversation.end();
    const row = open[answered];
    if (row) differences.push({ question: row.question, reference: JSON.parse(row.line), other: undefined });
    return differences;
  };
  return { put, end };
}

/** Asks all engines everything at once. Their policies are those of the first, and so is the reference. */
async function differencesOf(comparisons: readonly Comparison[], seed: number, count: number): Promise<Difference[][]> {
  const [{ policies, reference }] = comparisons as [Comparison];
  const asked = comparisons.map(begin);
  let rows: Row[] = [];
  const put = async (): Promise<void> => {
    const lines = rows.map(({ question }) => JSON.stringify(question));
    await Promise.all(asked.map((one) => one.put(rows, lines)));
    rows = [];
    await othersTurn(); // reads what came meanwhile
  };
  for (const question of questionStream(seed, count, policies.length)) {
    rows.push({ question, line: JSON.stringify(reference(question)) });
    if (rows.length === batchSize) await put();
  }
  await put();
  return Promise.all(asked.map((one) => one.end()));
}

async function minimized(comparison: Comparison, { question }: Difference): Promise<Difference> {
  const answersTo = (questions: readonly Question[]) =>
    askAll(comparison.command, { policies: comparison.policies }, questions);
  const smallest = await minimize(question, async (questions) => {
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

async function compare(comparisons: readonly Comparison[], seed: number, count: number): Promise<boolean> {
  const found = await differencesOf(comparisons, seed, count);
  for (const [index, differences] of found.entries()) {
    const comparison = comparisons[index] as Comparison;
    for (const difference of differences) {
      const shown = difference.other ? await minimized(comparison, difference) : difference;
      process.stdout.write(`${textOf(comparison, shown)}\n`);
    }
    const result = differences.length === 0 ? 'agree' : 'differ';
    process.stdout.write(`typescript and ${comparison.name} ${result}: ${count} requests, seed ${seed}\n`);
  }
  return found.every((differences) => differences.length === 0);
}

const options = {
  count: { type: 'string', default: '200000' },
  seed: { type: 'string', default: '1' },
  engine: { type: 'string', multiple: true, default: engines.map(({ name }) => name) },
  together: { type: 'boolean', default: false },
} as const;
const { values } = parseArgs({ options });
const [seed, count] = [wholeNumber('seed', values.seed), wholeNumber('count', values.count)];
const chosen = engines.filter(({ name }) => values.engine.includes(name));
const groups: readonly (readonly EngineRow[])[] = values.together
  ? [chosen]
  : [...Map.groupBy(chosen, (row) => (row.partOf === undefined ? row.takes : row)).values()];
const folder = mkdtempSync(join(tmpdir(), 'request-guard-differential-'));
try {
  for (const group of groups) {
    const asked = policies(createRandom(seed), randomPolicies).filter((policy) =>
      group.every((engine) => engine.takes(policy)),
    );
    const reference = referenceAnswers(asked);
    const comparisons = group.map(({ name, prepare }) => ({
      ...{ name, policies: asked, reference },
      command: prepare(mkdtempSync(join(folder, name))),
    }));
    const [{ partOf = 1 } = {}] = group;
    const isEqual = await compare(comparisons, seed, Math.ceil(count / partOf));
    if (!isEqual) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
