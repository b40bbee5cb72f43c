/** Sends questions to the command of an engine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Answer, Opening, Question } from './protocol.ts';

export type Command = readonly [file: string, ...args: string[]];

export interface Conversation {
  /**
   * Sends lines. Waits while the command has not read the lines of more than `batchesAhead` calls. @throws when the
   * command ends while this call waits.
   */
  readonly put: (lines: readonly string[]) => Promise<void>;
  /** Resolves after the last answer. @throws when the command fails. */
  readonly end: () => Promise<void>;
  readonly stop: () => void;
}

/** Number of `put` calls whose lines the command need not have read yet. A further call waits. */
const batchesAhead = 8;

function exitStatusOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** Calls `onAnswer` with the line of each answer, in the order of the questions. */
export function converse(command: Command, opening: Opening, onAnswer: (line: string) => void): Conversation {
  const [file, ...args] = command;
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const status = exitStatusOf(child);
  const endedEarly = status.then((code) => {
    throw new Error(`${file} ended with status ${code} before it was asked everything`);
  });
  endedEarly.catch(() => {}); // `put` or `end` reports the failure
  child.stdin.on('error', () => {}); // ignore EPIPE: the exit status gives the cause
  const answers = createInterface({ input: child.stdout }).on('line', onAnswer);
  const closed = once(answers, 'close');
  const pendingWrites: Promise<void>[] = [];
  const put = async (lines: readonly string[]): Promise<void> => {
    const text = lines.map((line) => `${line}\n`).join('');
    pendingWrites.push(new Promise((written) => child.stdin.write(text, () => written())));
    if (pendingWrites.length > batchesAhead) await Promise.race([pendingWrites.shift(), endedEarly]);
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

export async function askAll(command: Command, opening: Opening, questions: readonly Question[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  const conversation = converse(command, opening, (line) => answers.push(JSON.parse(line)));
  await conversation.put(questions.map((question) => JSON.stringify(question)));
  await conversation.end();
  return answers;
}
