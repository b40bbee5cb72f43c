/** The parser's position in a pattern, and its error. */
import { type RefusalName, refusals } from './refusals.ts';

/** Thrown inside the parser only; `parseRegex` turns it into its result. */
export class Refusal extends Error {
  readonly offset: number;
  readonly reason: string;

  constructor(name: RefusalName, offset: number) {
    super(refusals[name]);
    this.offset = offset;
    this.reason = refusals[name];
  }
}

/** Flags in effect at a position. `m` has no effect, because a candidate has no newline. */
interface Flags {
  readonly ignoreCase: boolean;
}

export interface Cursor {
  readonly source: string;
  at: number;
  /** Number of open groups. */
  depth: number;
  /** Bytes that the pattern grows by when all counts before the cursor are expanded. */
  added: number;
  flags: Flags;
}

/** The character at the cursor, or the empty string at the end. */
export function peek(cursor: Cursor): string {
  return cursor.source.charAt(cursor.at);
}

export function isNext(cursor: Cursor, text: string): boolean {
  return cursor.source.startsWith(text, cursor.at);
}

/** Advances past `text` if it is next, and returns whether it was. */
export function skip(cursor: Cursor, text: string): boolean {
  if (!isNext(cursor, text)) return false;
  cursor.at += text.length;
  return true;
}

/** Matches a sticky expression at the cursor and advances past the match. */
export function readMatch(cursor: Cursor, sticky: RegExp): RegExpExecArray | undefined {
  sticky.lastIndex = cursor.at;
  const match = sticky.exec(cursor.source);
  if (match) cursor.at = sticky.lastIndex;
  return match ?? undefined;
}
