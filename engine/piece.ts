/** A piece of a body: a value, or an entry without text that only counts towards a limit. */
import { limits } from '../contract/policy/limits.ts';

export interface Piece {
  /** The inspected text; can be empty. */
  readonly text: string;
  /** True when the piece counts towards `limits.bodyValues`. */
  readonly counts: boolean;
  /** True when the value is longer than `text`. */
  readonly isCut: boolean;
  /** True when a part of a form can have a character set outside of `asciiCharsets`. */
  readonly hasUnknownCharset?: boolean;
}

/** A value that all servers read in the same way, unless it is base64. Engines can inspect several such values at a time. */
const plainValue = /^[\w:,@. -]*[\w:,@-]$/;

/** Returns the piece of a value, cut to `most` bytes. Empty and plain values do not count towards the limit. */
export function pieceOf(value: string, most: number = limits.bodyValueBytes): Piece {
  return { text: value.slice(0, most), counts: value !== '' && !plainValue.test(value), isCut: value.length > most };
}
