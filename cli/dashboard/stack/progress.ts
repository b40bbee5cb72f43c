/** Progress of `guardcli dashboard up` and `down`. */
import { PassThrough } from 'node:stream';

/** A clause that says what the command is doing. */
export type Progress = string;

export type Steps<R> = AsyncGenerator<Progress, R, void>;

/** Runs `work`, yields its reports as they arrive, and returns its result. */
export async function* followed<R>(work: (report: (note: Progress) => void) => Promise<R>): Steps<R> {
  const notes = new PassThrough({ objectMode: true });
  const ended = work((note) => void notes.write(note)).finally(() => notes.end());
  ended.catch(() => {}); // `return await` throws the error
  yield* notes as AsyncIterable<Progress>;
  return await ended;
}
