export type Parts = readonly [same: string, changed: string, same: string];

function commonStart(one: string, two: string, most: number): number {
  let length = 0;
  while (length < most && one[length] === two[length]) length += 1;
  return length;
}

/**
 * Splits `text` around the part that differs from `before`. After a removal, this part is the next character, or the
 * last one.
 */
export function changedParts(before: string, text: string): Parts {
  if (before === text) return [text, '', ''];
  const least = Math.min(before.length, text.length);
  const start = commonStart(before, text, least);
  let end = 0;
  while (end < least - start && before.at(-1 - end) === text.at(-1 - end)) end += 1;
  const stop = text.length - end;
  if (stop > start) return [text.slice(0, start), text.slice(start, stop), text.slice(stop)];
  const mark = Math.min(start, text.length - 1);
  return [text.slice(0, mark), text.slice(mark, mark + 1), text.slice(mark + 1)];
}
