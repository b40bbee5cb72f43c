export interface Position {
  /** Line number, from 1. */
  readonly line: number;
  /** Column in characters (code points), from 1. */
  readonly column: number;
}

const isTrailing = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Counts code points from `start` to `end`. A surrogate pair is one. */
function charactersBetween(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if (!isTrailing(text.charCodeAt(at))) count++;
  return count;
}

/** Returns a function that finds the position of an offset. Lines end in LF, CRLF or CR. */
export function positionsOf(text: string): (offset: number) => Position {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  // Offsets mostly ascend. Counting from the previous offset takes linear time for one long line.
  let last = { line: 0, column: 1, offset: 0 };
  return (offset) => {
    const line = countUpTo(starts, offset);
    const isAhead = line === last.line && offset >= last.offset;
    const from = isAhead ? last : { column: 1, offset: starts[line - 1] as number };
    const column = from.column + charactersBetween(text, from.offset, offset);
    last = { line, column, offset };
    return { line, column };
  };
}

function countUpTo(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
