/**
 * Parses JSON (RFC 8259) to a tree with offsets. No library reports offsets and duplicate keys, bounds the nesting, and
 * is as strict as JSON.parse. It must be fast, because every start of the CLI with a policy runs it.
 */
import { limits } from '../policy/limits.ts';
import { quoted } from './quote.ts';
import { fileSubject } from './text.ts';
import { type Fault, type Member, mappingNode, type Node, repeatedKeys, type Tree } from './tree.ts';

interface Cursor {
  readonly text: string;
  /** What the text is called in messages. */
  readonly noun: string;
  readonly faults: Fault[];
  readonly path: (string | number)[];
  at: number;
}

/** Thrown to end the parsing, because the text after the fault has no clear meaning. */
class Stop extends Error {
  readonly fault: Fault;

  constructor(offset: number, message: string, hint?: string) {
    super(message);
    this.fault = hint === undefined ? { offset, message } : { offset, message, hint };
  }
}

const whiteSpace = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const literals = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

function skipSpace(cursor: Cursor): string {
  whiteSpace.lastIndex = cursor.at;
  whiteSpace.test(cursor.text);
  cursor.at = whiteSpace.lastIndex;
  return cursor.text[cursor.at] ?? '';
}

function foundText({ text, at, noun }: Cursor): string {
  const word = /[\w.+-]+|.?/suy;
  word.lastIndex = at;
  const [part = ''] = word.exec(text) ?? [];
  return part === '' ? `the end of the ${noun}` : quoted(part);
}

/** Returns advice for JavaScript syntax that JSON does not have. */
function advice(text: string, at: number): string | undefined {
  const rest = text.slice(at, at + 2);
  if (rest === '//' || rest === '/*' || rest[0] === '#') return 'JSON has no comments; delete it';
  if (/['\u2018-\u201f]/.test(rest)) return 'write strings and keys in straight double quotes (")';
  if (/^[A-Za-z_$]/.test(rest)) return 'write true, false or null, and all other words in double quotes';
  return undefined;
}

function unexpectedStop(cursor: Cursor, expected: string, hint = advice(cursor.text, cursor.at)): Stop {
  return new Stop(cursor.at, `expected ${expected}, found ${foundText(cursor)}`, hint);
}

const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function skipEscape(cursor: Cursor): void {
  escapeSequence.lastIndex = cursor.at;
  if (!escapeSequence.test(cursor.text))
    throw new Stop(
      cursor.at,
      `${quoted(cursor.text.slice(cursor.at, cursor.at + 2))} is not an escape`,
      'write a backslash as \\\\',
    );
  cursor.at = escapeSequence.lastIndex;
}

function readString(cursor: Cursor): string {
  const start = cursor.at;
  cursor.at += 1;
  for (;;) {
    const code = cursor.text.charCodeAt(cursor.at);
    if (Number.isNaN(code)) throw new Stop(start, 'the string is not closed', 'end it with a double quote');
    if (code < 0x20)
      throw new Stop(cursor.at, 'a control character in a string', 'write a line break as \\n, a tab as \\t');
    if (code === 0x5c) skipEscape(cursor);
    else cursor.at += 1;
    if (code === 0x22) return JSON.parse(cursor.text.slice(start, cursor.at)) as string;
  }
}

/** The fault after an entry that ends at `end`. A missing comma is reported there: what follows can be lines below. */
function entryStop(cursor: Cursor, end: number, close: string): Stop {
  const next = cursor.text[cursor.at] ?? '';
  if (/["[{\w-]/.test(next))
    return new Stop(
      end,
      `expected "," after this entry, found ${foundText(cursor)}`,
      'write a comma between two entries',
    );
  const hint = next === '' ? `close it with ${close}` : advice(cursor.text, cursor.at);
  return unexpectedStop(cursor, `"," or "${close}"`, hint);
}

function readEntries(cursor: Cursor, close: ']' | '}', entry: () => void): void {
  if (cursor.path.length >= limits.fileNesting)
    throw new Stop(cursor.at, `the nesting is deeper than ${limits.fileNesting}`);
  cursor.at += 1;
  if (skipSpace(cursor) === close) {
    cursor.at += 1;
    return;
  }
  for (;;) {
    entry();
    const end = cursor.at;
    const next = skipSpace(cursor);
    if (next !== ',' && next !== close) throw entryStop(cursor, end, close);
    cursor.at += 1;
    if (next === close) return;
    if (skipSpace(cursor) === close) throw unexpectedStop(cursor, 'an entry after ","', 'delete the comma before it');
  }
}

function readMember(cursor: Cursor): Member {
  if (skipSpace(cursor) !== '"') throw unexpectedStop(cursor, 'a key in double quotes');
  const start = cursor.at;
  const key = readString(cursor);
  if (skipSpace(cursor) !== ':') throw unexpectedStop(cursor, '":"');
  cursor.at += 1;
  return { key, start, node: readWithin(cursor, key) };
}

function readWithin(cursor: Cursor, step: string | number): Node {
  cursor.path.push(step);
  const node = readValue(cursor);
  cursor.path.pop();
  return node;
}

function readObject(cursor: Cursor, start: number): Node {
  const members: Member[] = [];
  readEntries(cursor, '}', () => members.push(readMember(cursor)));
  for (const fault of repeatedKeys(members, [...cursor.path])) cursor.faults.push(fault);
  return mappingNode(start, members);
}

function readArray(cursor: Cursor, start: number): Node {
  const items: Node[] = [];
  readEntries(cursor, ']', () => items.push(readWithin(cursor, items.length)));
  return { start, value: items.map(({ value }) => value), items };
}

function readScalar(cursor: Cursor, start: number): Node {
  number.lastIndex = start;
  const [digits] = number.exec(cursor.text) ?? [];
  if (digits !== undefined) {
    cursor.at += digits.length;
    return { start, value: Number(digits) };
  }
  const literal = literals.find(([word]) => cursor.text.startsWith(word, start));
  if (!literal) throw unexpectedStop(cursor, 'a value');
  cursor.at += literal[0].length;
  return { start, value: literal[1] };
}

function readValue(cursor: Cursor): Node {
  const next = skipSpace(cursor);
  const start = cursor.at;
  if (next === '{') return readObject(cursor, start);
  if (next === '[') return readArray(cursor, start);
  if (next === '"') return { start, value: readString(cursor) };
  return readScalar(cursor, start);
}

/** Returns the tree of a JSON text. Parsing ends at the first syntax fault; duplicate keys are collected. */
export function readJson(text: string, noun = fileSubject.noun): Tree {
  const cursor: Cursor = { text, noun, faults: [], path: [], at: 0 };
  try {
    const root = readValue(cursor);
    if (skipSpace(cursor) !== '') throw unexpectedStop(cursor, `the end of the ${noun}`);
    return { root, faults: cursor.faults };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { faults: [...cursor.faults, error.fault] };
  }
}
