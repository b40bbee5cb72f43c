/** What follows an opening parenthesis. */
import { type Cursor, looksAt, Refusal, takeMatch } from './cursor.ts';
import type { RefusalName } from './refusals.ts';

/** Openings that some engine supports. The first that matches gives the reason. */
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

export interface Opening {
  /** `(?i)` sets flags for the remainder of the enclosing group and opens none. */
  readonly opensGroup: boolean;
}

const flagList = /\(\?([ism]*)(?:-([ism]+))?([:)])/y;

/** Parses `(`, `(?:`, `(?flags:` or `(?flags)`; flags take effect on the cursor at once. */
export function parseOpening(cursor: Cursor): Opening {
  const at = cursor.at;
  const refused = refusedOpenings.find(([text]) => looksAt(cursor, text));
  if (refused) throw new Refusal(refused[1], at);
  if (takeMatch(cursor, /\((?!\?)|\(\?:/y)) return { opensGroup: true };
  const match = takeMatch(cursor, flagList);
  const on = match?.[1] ?? '';
  const off = match?.[2] ?? '';
  const isRepeated = new Set(on + off).size < (on + off).length;
  if (!match || on + off === '' || isRepeated) throw new Refusal('badGroup', at);
  if (on.includes('i')) cursor.flags = { ignoreCase: true };
  if (off.includes('i')) cursor.flags = { ignoreCase: false };
  return { opensGroup: match[3] === ':' };
}
