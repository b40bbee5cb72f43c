/** Parses character classes: `[a-z\d[:punct:]]`. */
import { type Cursor, isNext, peek, Refusal, readMatch, skip } from './cursor.ts';
import { parseEscape } from './escape.ts';
import { type CharacterSet, ignoringCase, printable, setOf } from './syntax.ts';

/** POSIX classes, as members of printable ASCII. */
const posixClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  ascii: /[ -~]/,
  blank: / /,
  cntrl: /[^ -~]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: / /,
  upper: /[A-Z]/,
  word: /[0-9A-Za-z_]/,
  xdigit: /[0-9A-Fa-f]/,
};

interface Member {
  readonly set: CharacterSet;
  /** Matches several characters, so it cannot end a range. */
  readonly isClass: boolean;
}

function parsePosixClass(cursor: Cursor): Member {
  const at = cursor.at;
  const name = readMatch(cursor, /\[:([a-z]+):\]/y)?.[1] ?? '';
  const members = Object.hasOwn(posixClasses, name) ? posixClasses[name] : undefined;
  if (!members) throw new Refusal('badPosixClass', at);
  return { set: setOf((character) => members.test(character)), isClass: true };
}

function parseMember(cursor: Cursor): Member {
  const character = peek(cursor);
  if (character === '\\') return parseEscape(cursor);
  if (character === '[' && /^\[[:.=]/.test(cursor.source.slice(cursor.at))) return parsePosixClass(cursor);
  cursor.at += 1;
  return { set: { kind: 'set', members: character }, isClass: false };
}

/**
 * Whether the hyphen at the cursor makes a range. A hyphen before the closing bracket does not. The caller handles a
 * hyphen that is the first member.
 */
function isRangeHyphen(cursor: Cursor): boolean {
  return isNext(cursor, '-') && !isNext(cursor, '-]');
}

function parseRange(cursor: Cursor, from: Member): CharacterSet {
  const hyphen = cursor.at;
  cursor.at += 1;
  if (peek(cursor) === '') return from.set; // the class is not closed; the error is reported at its bracket
  if (peek(cursor) === '-') throw new Refusal('strayHyphen', cursor.at);
  const to = parseMember(cursor);
  if (from.isClass || to.isClass) throw new Refusal('classInRange', hyphen);
  const first = printable.indexOf(from.set.members);
  const last = printable.indexOf(to.set.members);
  if (first > last) throw new Refusal('reversedRange', hyphen);
  return { kind: 'set', members: printable.slice(first, last + 1) };
}

function parseMembers(cursor: Cursor, open: number): Set<string> {
  const members = new Set<string>();
  const start = cursor.at;
  while (!skip(cursor, ']')) {
    if (peek(cursor) === '') throw new Refusal('unclosedClass', open);
    if (isRangeHyphen(cursor) && cursor.at > start) throw new Refusal('strayHyphen', cursor.at);
    const isHyphen = isNext(cursor, '-');
    const member = parseMember(cursor);
    if (isHyphen && isRangeHyphen(cursor)) throw new Refusal('strayHyphen', cursor.at - 1);
    const set = isRangeHyphen(cursor) ? parseRange(cursor, member) : member.set;
    for (const character of set.members) members.add(character);
  }
  return members;
}

/** Parses the class whose opening bracket is at the cursor. */
export function parseClass(cursor: Cursor): CharacterSet {
  const open = cursor.at;
  cursor.at += 1;
  const isNegated = skip(cursor, '^');
  if (isNext(cursor, ']')) throw new Refusal('emptyClass', open);
  const members = parseMembers(cursor, open);
  const set = setOf((character) => members.has(character));
  const folded = cursor.flags.ignoreCase ? ignoringCase(set) : set;
  return isNegated ? setOf((character) => !folded.members.includes(character)) : folded;
}
