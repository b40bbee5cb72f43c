/** Simplifies a question as long as two engines still disagree on it. */
import { fromBase64, type Question, toBase64 } from './protocol.ts';

/** Yields copies of `text` with one piece removed, the largest pieces first. */
function* shorterTexts(text: string): Generator<string> {
  for (let size = Math.ceil(text.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < text.length; at += size) yield text.slice(0, at) + text.slice(at + size);
}

const bytesKeys = ['t', 'r', 'b'] as const;
const optionalKeys = ['r', 'm', 'h', 'b', 'ip', 'host'] as const;

function withoutKey<K extends keyof Question>(question: Question, key: K): Omit<Question, K> {
  const { [key]: _, ...rest } = question;
  return rest;
}

function* shorterHeaders(question: Question): Generator<Question> {
  const headers = question.h ?? [];
  for (const [index, [name, value]] of headers.entries()) {
    yield { ...question, h: headers.toSpliced(index, 1) };
    for (const text of shorterTexts(fromBase64(value)))
      yield { ...question, h: headers.with(index, [name, toBase64(text)]) };
  }
}

/** Yields simpler questions: first those without an optional part, then those with a shorter part. */
function* simplerQuestions(question: Question): Generator<Question> {
  for (const key of optionalKeys) if (question[key] !== undefined) yield withoutKey(question, key) as Question;
  for (const key of bytesKeys)
    for (const text of shorterTexts(fromBase64(question[key] ?? ''))) yield { ...question, [key]: toBase64(text) };
  yield* shorterHeaders(question);
}

/** Returns, for each question, whether the two engines differ. */
export type Differs = (questions: readonly Question[]) => Promise<readonly boolean[]>;

export async function minimize(question: Question, differs: Differs): Promise<Question> {
  const candidates = [...simplerQuestions(question)];
  const results = await differs(candidates);
  const found = candidates[results.indexOf(true)];
  return found ? minimize(found, differs) : question;
}
