/** Splits a byte stream into lines. Keeps only one chunk and the start of one line in memory. */

export interface Line {
  /** Counts from 1, including empty lines. */
  readonly number: number;
  /** Latin1 characters without the line end (LF or CRLF); at most `mostBytes`. */
  readonly text: string;
  readonly isCut: boolean;
}

/** Yields the lines that end in each chunk, then the last line without a line end. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Line[]> {
  let number = 0;
  let pending = '';
  let isPending = false;
  const line = (raw: string): Line => {
    number += 1;
    const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    return { number, text: text.slice(0, mostBytes), isCut: text.length > mostBytes };
  };
  // Keeps two extra bytes: one detects a line that is too long, the other is the CR.
  const extended = (part: string) => pending + part.slice(0, mostBytes + 2 - pending.length);
  for await (const chunk of chunks) {
    const parts = chunk.toString('latin1').split('\n');
    const last = parts.pop() ?? '';
    const [first, ...others] = parts;
    const lines = first === undefined ? [] : [line(extended(first)), ...others.map(line)];
    if (first !== undefined) pending = '';
    pending = extended(last);
    isPending = pending.length > 0;
    yield lines;
  }
  if (isPending) yield [line(pending)];
}
