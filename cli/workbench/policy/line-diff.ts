export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Context lines, as in `diff -u`. */
const contextLines = 3;
const omittedLines: readonly DiffLine[] = [{ kind: 'same', text: '...' }];

const diffLines = (kind: DiffLine['kind'], lines: readonly string[]): DiffLine[] =>
  lines.map((text) => ({ kind, text }));

/** Splits a text into lines. A final newline does not start another line. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** Returns the lines from the first to the last change, and those near them. Dots replace all others. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const least = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < least && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < least - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  return [
    ...(start > contextLines ? omittedLines : []),
    ...diffLines('same', old.slice(Math.max(0, start - contextLines), start)),
    ...diffLines('removed', old.slice(start, old.length - end)),
    ...diffLines('added', fresh.slice(start, fresh.length - end)),
    ...diffLines('same', old.slice(old.length - end, old.length - end + contextLines)),
    ...(end > contextLines ? omittedLines : []),
  ];
}
