/** A piece of a body: a value, or a cost without one. */
import { limits } from '../contract/policy/limits.ts';

export interface Piece {
  /** What is inspected; the empty text is not. */
  readonly text: string;
  /** Whether it counts towards `limits.bodyValues`. */
  readonly counts: boolean;
  /** Whether the value is longer than the text. */
  readonly isCut: boolean;
  /** Whether some server reads it in a character set in which ASCII text has other bytes. */
  readonly hasUnknownCharset?: boolean;
}

/** A value with one reading, which engines can inspect in groups. */
const plain = /^[\w:,@. -]*[\w:,@-]$/;

/** A value, of which at most `most` bytes are inspected. Empty and plain ones do not count. */
export function pieceOf(value: string, most: number = limits.bodyValueBytes): Piece {
  return { text: value.slice(0, most), counts: value !== '' && !plain.test(value), isCut: value.length > most };
}
