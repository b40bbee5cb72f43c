/** Progress of the commands of the stack. */
import { PassThrough } from 'node:stream';

/** One clause about what happens now. */
export type Progress = string;

export type Steps<R> = AsyncGenerator<Progress, R, void>;

/** Yields what work reports, as it comes, and returns its result. */
export async function* followed<R>(work: (report: (note: Progress) => void) => Promise<R>): Steps<R> {
  const notes = new PassThrough({ objectMode: true });
  const ended = work((note) => void notes.write(note)).finally(() => notes.end());
  ended.catch(() => {}); // thrown below
  yield* notes as AsyncIterable<Progress>;
  return await ended;
}
