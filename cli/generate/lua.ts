/**
 * Writes values as Lua source for a `*_by_lua_block` of nginx.
 * The lexer of nginx finds the end of the block: braces in strings are safe. Its longest token has 4,095 bytes, so
 * longer strings are split.
 */
import { unprintable } from './printable.ts';

/**
 * Maximum characters of a piece. A character has at most four bytes, and each byte may become an escape of four bytes:
 * 200 characters take at most 3,200 bytes, which is below the limit of the lexer.
 */
const longestPiece = 200;

const quotedString = (text: string): string => `"${escapeString(text)}"`;

const everyUnprintable = new RegExp(unprintable, 'gu');

function escapeString(text: string): string {
  return text
    .replace(/["\\]/g, '\\$&')
    .replace(everyUnprintable, (character) =>
      Array.from(Buffer.from(character), (byte) => `\\${String(byte).padStart(3, '0')}`).join(''),
    );
}

/** Splits a text into pieces. A piece never ends inside a character. */
function piecesOf(text: string): string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / longestPiece);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * longestPiece, (index + 1) * longestPiece).join(''),
  );
}

/**
 * Writes a string in long brackets, which need no escapes. Returns undefined when the text has nothing to escape, or
 * long brackets cannot contain it.
 */
function bracketedString(text: string): string | undefined {
  if (unprintable.test(text) || !/["\\]/.test(text)) return undefined;
  for (const level of ['', '=', '==', '===']) {
    const close = `]${level}]`;
    if (`${text}${close}`.indexOf(close) === text.length) return `[${level}[${text}${close}`;
  }
  return undefined;
}

export function luaString(text: string, indent = ''): string {
  if (text.length <= longestPiece) return bracketedString(text) ?? quotedString(text);
  const lines = piecesOf(text).map((piece) => `${indent}    ${quotedString(piece)},\n`);
  return `table.concat({\n${lines.join('')}${indent}})`;
}

/** Keys that Lua accepts without quotes: not its reserved words. */
const bareKey =
  /^(?!(?:and|break|do|else|elseif|end|false|for|function|goto|if|in|local|nil|not|or|repeat|return|then|true|until|while)$)[A-Za-z_][A-Za-z0-9_]*$/;

const longestLine = 100;

function memberLines(value: object, indent: string): string[] {
  if (Array.isArray(value)) return value.map((entry) => luaValue(entry, indent));
  return Object.entries(value).map(([key, entry]) => {
    return `${bareKey.test(key) ? key : `[${quotedString(key)}]`} = ${luaValue(entry, indent)}`;
  });
}

/** Writes a value. A table that does not fit on one line takes one line per member. */
export function luaValue(value: unknown, indent = ''): string {
  if (typeof value === 'string') return luaString(value, indent);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}    `;
  const written = memberLines(value, inner);
  if (written.length === 0) return '{}';
  const short = `{ ${written.join(', ')} }`;
  if (short.length + indent.length <= longestLine && !short.includes('\n')) return short;
  return `{\n${written.map((member) => `${inner}${member},\n`).join('')}${indent}}`;
}
