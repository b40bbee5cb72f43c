/** Lines and columns of a text. */

export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1, in characters (code points). */
  readonly column: number;
}

const isTrailing = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Code points from `start` to `end`: a surrogate pair is one. */
function charactersBetween(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if (!isTrailing(text.charCodeAt(at))) count++;
  return count;
}

/** Finds the position of an offset. Lines end in LF, CRLF or CR. */
export function positionsOf(text: string): (offset: number) => Position {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  return (offset) => {
    const line = countUpTo(starts, offset);
    return { line, column: charactersBetween(text, starts[line - 1] as number, offset) + 1 };
  };
}

/** How many of the sorted `starts` are at most `offset`. */
function countUpTo(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
