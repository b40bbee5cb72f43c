/** Parses escapes. The same set is valid inside and outside character classes. */
import { type Cursor, peek, Refusal, readMatch } from './cursor.ts';
import type { RefusalName } from './refusals.ts';
import { type CharacterSet, printable, setOf } from './syntax.ts';

const word = /[0-9A-Za-z_]/;

/** `\d` and similar classes. A subject has only the space as white space. */
const classEscapes: Readonly<Record<string, CharacterSet>> = {
  d: setOf((character) => /\d/.test(character)),
  D: setOf((character) => !/\d/.test(character)),
  w: setOf((character) => word.test(character)),
  W: setOf((character) => !word.test(character)),
  s: setOf((character) => character === ' '),
  S: setOf((character) => character !== ' '),
};

/** Escapes that some engine supports. Each has a specific reason for the refusal. */
const refusedEscapes: Readonly<Record<string, RefusalName>> = {
  p: 'unicodeClass',
  P: 'unicodeClass',
  X: 'unicodeClass',
  Q: 'quoting',
  E: 'quoting',
  g: 'backreference',
  k: 'backreference',
};

const punctuation = /[!-/:-@[-`{-~]/;

function hexEscape(cursor: Cursor, at: number): CharacterSet {
  const match = readMatch(cursor, /x([0-9A-Fa-f]{2})/y);
  const character = match ? String.fromCharCode(Number.parseInt(match[1] as string, 16)) : '';
  if (character === '' || !printable.includes(character)) throw new Refusal('badHex', at);
  return { kind: 'set', members: character };
}

/** `isClass`: the escape is a class, such as `\d`, and cannot end a range. */
export function parseEscape(cursor: Cursor): { set: CharacterSet; isClass: boolean } {
  const at = cursor.at;
  cursor.at += 1;
  const letter = peek(cursor);
  if (letter === '') throw new Refusal('danglingEscape', at);
  if (letter === 'x') return { set: hexEscape(cursor, at), isClass: false };
  cursor.at += 1;
  const set = classEscapes[letter];
  if (set) return { set, isClass: true };
  if (punctuation.test(letter)) return { set: { kind: 'set', members: letter }, isClass: false };
  if (/\d/.test(letter)) throw new Refusal('backreference', at);
  throw new Refusal(refusedEscapes[letter] ?? 'badEscape', at);
}
