/** Puts questions to the command of an engine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Answer, Opening, Question } from './protocol.ts';

export type Command = readonly [file: string, ...args: string[]];

/** A command that answers while it is still being asked. */
export interface Conversation {
  /** Puts lines that are questions. Resolves before they are answered, but never lets too many wait. @throws like `end`. */
  readonly put: (lines: readonly string[]) => Promise<void>;
  /** Resolves behind the last answer; @throws when the command fails. */
  readonly end: () => Promise<void>;
  readonly stop: () => void;
}

/** How often `put` may be called before the command has taken what came first. */
const batchesAhead = 8;

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** Starts a command; `onAnswer` is given the line of each answer, in the order of the questions. */
export function converse(command: Command, opening: Opening, onAnswer: (line: string) => void): Conversation {
  const [file, ...args] = command;
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const status = ended(child);
  const early = status.then((code) => {
    throw new Error(`${file} ended with status ${code} before it was asked everything`);
  });
  early.catch(() => {}); // at the end, too
  child.stdin.on('error', () => {}); // its status says why
  const answers = createInterface({ input: child.stdout }).on('line', onAnswer);
  const closed = once(answers, 'close');
  const waiting: Promise<void>[] = [];
  const put = async (lines: readonly string[]): Promise<void> => {
    const text = lines.map((line) => `${line}\n`).join('');
    waiting.push(new Promise((taken) => child.stdin.write(text, () => taken())));
    if (waiting.length > batchesAhead) await Promise.race([waiting.shift(), early]);
  };
  const end = async (): Promise<void> => {
    child.stdin.end();
    const code = await status;
    await closed;
    if (code !== 0) throw new Error(`${file} ended with status ${code}`);
  };
  void put([JSON.stringify(opening)]);
  return { put, end, stop: () => child.kill() };
}

/** All answers at once. */
export async function askAll(command: Command, opening: Opening, questions: readonly Question[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  const asked = converse(command, opening, (line) => answers.push(JSON.parse(line)));
  await asked.put(questions.map((question) => JSON.stringify(question)));
  await asked.end();
  return answers;
}
