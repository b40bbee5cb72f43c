/** The one changed place of a text, as lines. Pure. */

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** As in `diff -u`. */
const context = 3;
const others: readonly DiffLine[] = [{ kind: 'same', text: '...' }];

const rows = (kind: DiffLine['kind'], lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind, text }));

/** A final newline starts no line. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** The lines from the first to the last changed one, with some around them. Dots are in the place of others. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const least = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < least && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < least - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  return [
    ...(start > context ? others : []),
    ...rows('same', old.slice(Math.max(0, start - context), start)),
    ...rows('removed', old.slice(start, old.length - end)),
    ...rows('added', fresh.slice(start, fresh.length - end)),
    ...rows('same', old.slice(old.length - end, old.length - end + context)),
    ...(end > context ? others : []),
  ];
}
