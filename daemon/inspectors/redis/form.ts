/** The framing of RESP: a type, a number and a line end. The parser is as strict as the server. */

export const types = {
  array: 0x2a, // *
  bulk: 0x24, // $
  error: 0x2d, // -
  simple: 0x2b, // +
  bulkError: 0x21, // !
  verbatim: 0x3d, // =
  map: 0x25, // %
  set: 0x7e, // ~
  push: 0x3e, // >
  attribute: 0x7c, // |
} as const;

export const lineFeed = 0x0a;
const [cr, minus, zero, nine] = [0x0d, 0x2d, 0x30, 0x39];
const longestHead = 24; // a type, 20 characters of a 64-bit number, a line end

/** The end of an element's head. 0: the head is incomplete. -1: it is invalid. */
export function headEnd(bytes: Buffer, at: number, end: number): number {
  const last = Math.min(end, at + longestHead);
  for (let index = at + 1; index < last; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte >= zero && byte <= nine) continue;
    if (byte === minus && index === at + 1) continue;
    if (byte !== cr || index === at + 1) return -1;
    if (index + 1 === end) return 0;
    return bytes[index + 1] === lineFeed ? index + 2 : -1;
  }
  return last < at + longestHead ? 0 : -1;
}

export function numberIn(bytes: Buffer, at: number, end: number): number {
  const isNegative = bytes[at + 1] === minus;
  let value = 0;
  for (let index = at + (isNegative ? 2 : 1); index < end - 2; index += 1)
    value = value * 10 + (bytes[index] ?? 0) - zero;
  return isNegative ? -value : value;
}

/** The size of a bulk string with its head. 0: more bytes are needed. -1: longer than `most`, or invalid. */
export function bulkSize(bytes: Buffer, at: number, end: number, most: number): number {
  const contentAt = headEnd(bytes, at, end);
  if (contentAt <= 0) return contentAt;
  const length = numberIn(bytes, at, contentAt);
  if (length < 0) return length === -1 ? contentAt - at : -1; // a null value
  return length <= most ? contentAt - at + length + 2 : -1;
}

/** The number of bytes up to and including the next line feed. 0 when there is none. */
export function lineSize(bytes: Buffer, at: number, end: number): number {
  const found = bytes.indexOf(lineFeed, at);
  return found < 0 || found >= end ? 0 : found + 1 - at;
}

const escapedCharacters = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['a', '\x07'],
]);
/** Matches white space, double-quoted, single-quoted or unquoted text. The alternatives cannot match the same text. */
const pieceForm = /([\s\0]+)|"((?:\\[\s\S]|[^"\\])*)"|'((?:\\'|[^'\\]|\\(?!'))*)'|([^\s\0"']+)/gy;
export const blankForm = /[\s\0]+/;
const escapeForm = /\\(?:x([0-9a-f]{2})|([\s\S]))/gi;

const withoutEscapes = (text: string): string =>
  text.replace(escapeForm, (_all, hex: string | undefined, other: string) =>
    hex === undefined ? (escapedCharacters.get(other) ?? other) : String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** The words of an inline command with redis-cli quoting. Undefined when a quote is not closed. */
export function inlineWords(line: string): string[] | undefined {
  if (!line.includes('"') && !line.includes("'")) return line.split(blankForm).filter((word) => word !== '');
  const words: string[] = [];
  let isInWord = false;
  let at = 0;
  for (const [whole, space, double, single] of line.matchAll(pieceForm)) {
    at += whole.length;
    const text = double !== undefined ? withoutEscapes(double) : (single?.replaceAll("\\'", "'") ?? whole);
    if (space === undefined) words.push((isInWord ? (words.pop() ?? '') : '') + text);
    isInWord = space === undefined;
  }
  return at === line.length ? words : undefined;
}
