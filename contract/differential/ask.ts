/** Puts questions to the command of an engine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer, Opening, Question } from './protocol.ts';

export type Command = readonly [file: string, ...args: string[]];

function* lines(opening: Opening, questions: Iterable<Question>): Generator<string> {
  yield `${JSON.stringify(opening)}\n`;
  for (const question of questions) yield `${JSON.stringify(question)}\n`;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/**
 * The answers in the order of the questions. They are read while questions are still being written, because neither side
 * can hold them all. Throws when the command fails, and ends early when it does.
 */
export async function* ask(command: Command, opening: Opening, questions: Iterable<Question>): AsyncGenerator<Answer> {
  const [file, ...args] = command;
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const status = ended(child);
  status.catch(() => {}); // a command that cannot be started is reported below
  const written = pipeline(Readable.from(lines(opening, questions)), child.stdin).catch(() => {}); // its status says why
  try {
    for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as Answer;
    await written;
    const code = await status;
    if (code !== 0) throw new Error(`${file} ended with status ${code}`);
  } finally {
    child.kill();
  }
}

/** All answers at once. */
export async function askAll(command: Command, opening: Opening, questions: readonly Question[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for await (const answer of ask(command, opening, questions)) answers.push(answer);
  return answers;
}
