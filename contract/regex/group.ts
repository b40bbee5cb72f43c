/** Parses the text after an opening parenthesis. */
import { type Cursor, isNext, Refusal, readMatch } from './cursor.ts';
import type { RefusalName } from './refusals.ts';

/** Openings that some engine supports. The first one that matches gives the reason of the refusal. */
const refusedOpenings: readonly (readonly [string, RefusalName])[] = [
  ['(?=', 'lookaround'],
  ['(?!', 'lookaround'],
  ['(?<=', 'lookaround'],
  ['(?<!', 'lookaround'],
  ['(?<', 'namedGroup'],
  ["(?'", 'namedGroup'],
  ['(?P<', 'namedGroup'],
  ['(?P=', 'backreference'],
  ['(?#', 'comment'],
  ['(*', 'verb'],
];

const flagList = /\(\?([ism]*)(?:-([ism]+))?([:)])/y;

/** Parses `(`, `(?:`, `(?flags:` or `(?flags)`. Returns false for the last, which only sets flags. */
export function opensGroup(cursor: Cursor): boolean {
  const at = cursor.at;
  const refused = refusedOpenings.find(([text]) => isNext(cursor, text));
  if (refused) throw new Refusal(refused[1], at);
  if (readMatch(cursor, /\((?!\?)|\(\?:/y)) return true;
  const match = readMatch(cursor, flagList);
  const on = match?.[1] ?? '';
  const off = match?.[2] ?? '';
  const isRepeated = new Set(on + off).size < (on + off).length;
  if (!match || on + off === '' || isRepeated) throw new Refusal('badGroup', at);
  if (on.includes('i')) cursor.flags = { ignoreCase: true };
  if (off.includes('i')) cursor.flags = { ignoreCase: false };
  return match[3] === ':';
}
