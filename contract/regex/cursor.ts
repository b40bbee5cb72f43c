/** A position in a pattern that is being parsed, and its refusal. */
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

/** Flags in force at a position. `m` changes nothing, because a candidate has no newline. */
interface Flags {
  readonly ignoreCase: boolean;
}

export interface Cursor {
  readonly source: string;
  at: number;
  /** Number of open groups. */
  depth: number;
  /** Bytes that the counts up to here add to the pattern when they are written out. */
  added: number;
  flags: Flags;
}

/** The character at the cursor, or the empty string at the end. */
export function peek(cursor: Cursor): string {
  return cursor.source.charAt(cursor.at);
}

export function looksAt(cursor: Cursor, text: string): boolean {
  return cursor.source.startsWith(text, cursor.at);
}

/** Skips `text` if it is next. */
export function take(cursor: Cursor, text: string): boolean {
  if (!looksAt(cursor, text)) return false;
  cursor.at += text.length;
  return true;
}

/** The match of a sticky expression at the cursor, which advances past it. */
export function takeMatch(cursor: Cursor, sticky: RegExp): RegExpExecArray | undefined {
  sticky.lastIndex = cursor.at;
  const match = sticky.exec(cursor.source);
  if (match) cursor.at = sticky.lastIndex;
  return match ?? undefined;
}
