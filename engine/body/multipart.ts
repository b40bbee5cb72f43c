/** Parts of a multipart/form-data body (RFC 7578, RFC 2046 5.1). */
import { limits } from '../../contract/policy/limits.ts';
import { strip, stripEnd } from '../bytes.ts';
import { base64Json, nestedStrings } from '../json-strings.ts';
import { type Piece, pieceOf } from '../piece.ts';
import { isFileKey } from '../query.ts';
import { anyBoundary, isUnknownCharset, isUnknownCharsetNamed, mentionOfJson } from './content-type.ts';
import { dispositions, isFile, namesOf, partTypes, transferEncodings } from './disposition.ts';
import { decodedTexts, encodingsIn, type TransferEncoding } from './transfer-encoding.ts';

const escapeForRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const countOf = (text: string, part: string) => text.split(part).length - 1;

/** Returns a form without its last delimiter if every server finds the same boundary lines in it. */
function exactForm(body: string, delimiter: string): string | undefined {
  const text = stripEnd(body, ' \t\r\n');
  const end = ['--', '-', ''].map((dashes) => delimiter + dashes).find((line) => text.endsWith(line));
  const form = end === undefined ? body : text.slice(0, -end.length);
  const count = countOf(form, delimiter);
  const starts = countOf(form, `\r\n${delimiter}`) + (form.startsWith(delimiter) ? 1 : 0);
  const areEnded = form.split(delimiter).every((part, index) => index === 0 || part.startsWith('\r\n'));
  const isExact = starts === count && areEnded;
  if (!isExact || end === undefined) return isExact ? form : undefined;
  return form === '' || form.endsWith('\r\n') ? form.slice(0, -2) : undefined;
}

/** True when all servers find the same head. The body may end inside of the last head. */
function hasExactHead(part: string, isLast: boolean): boolean {
  const end = part.indexOf('\r\n\r\n');
  if (end < 0 && !isLast) return false;
  const head = end < 0 ? part.replace(/\r$/, '') : part.slice(0, end);
  return !/\r(?!\n)|(?<!\r)\n/.test(head);
}

/** Returns the text before the first delimiter, and the text after each delimiter. */
function splitBefore(body: string, delimiter: string, before: string): [string, ...string[]] {
  return body.split(new RegExp(`(?:${before})${escapeForRegExp(delimiter)}`)) as [string, ...string[]];
}

/** Splits a part into its header lines and its content. The content is absent when no empty line ends the head. */
function headAndContent(part: string): [head: string, content?: string] {
  const text = part.replace(/^[ \t]*\r?\n/, '');
  const gap = /(?:^|\r?\n)\r?\n/.exec(text);
  return gap ? [text.slice(0, gap.index), text.slice(gap.index + gap[0].length)] : [text];
}

/**
 * Returns the contents after CRLF CRLF and after CR CR, because some servers accept only one of them as the end of the
 * head.
 */
function otherContents(part: string): string[] {
  const ends = ['\r\n\r\n', '\r\r'].filter((end) => part.includes(end));
  return ends.map((end) => part.slice(part.indexOf(end) + end.length));
}

const emptyPiece: Piece = { text: '', counts: false, isCut: false };
const countedPiece: Piece = { ...emptyPiece, counts: true }; // no text, but counts towards `limits.bodyValues`

/** True when the part is the field that names the character set of the form (RFC 7578 4.6), and that set is unknown. */
function namesCharset(names: readonly string[], content: string): boolean {
  const isField = names.some((name) => name.toLowerCase() === '_charset_');
  return isField && isUnknownCharset(strip(content, ' \t\r\n'));
}

const contentOf = (text: string): Piece => pieceOf(text, limits.multipartContentBytes);

/** The readings of a field's content. */
interface Field {
  /** Transfer encodings that servers may decode. */
  readonly encodings: readonly TransferEncoding[];
  /** True when servers may read the name of the field as `file`. */
  readonly isFile: boolean;
  /** True when the field has the Content-Type of JSON. */
  readonly isJson: boolean;
}

/** The start of a JSON object or list. */
const jsonStart = /^[ \t\r\n]*[{[]/;

/** Yields the readings of a content, each also behind the key `file`. Adds those that are JSON to `json`. */
function* contentPieces({ encodings, isFile, isJson }: Field, content: string, json: string[]): Generator<Piece> {
  const most = limits.multipartContentBytes;
  for (const text of [content, ...decodedTexts(encodings, content.slice(0, most))]) {
    yield contentOf(text);
    if (isFile) yield pieceOf(`file=${text.slice(0, most)}`);
    const cut = text.slice(0, most);
    const inner = isJson || jsonStart.test(cut) ? cut : base64Json(cut);
    if (inner !== undefined) json.push(inner);
  }
}

/**
 * Yields the pieces of one part. `anyEncoding` is present when servers find different parts: a head or a file can then
 * also be the content of a field.
 */
function* piecesOfPart(part: string, json: string[], anyEncoding?: readonly TransferEncoding[]): Generator<Piece> {
  const isExact = anyEncoding === undefined;
  yield countedPiece;
  const [head, content] = headAndContent(part);
  const lines = dispositions(head);
  const names: string[] = [];
  for (const readings of namesOf(lines)) {
    yield countedPiece;
    names.push(...readings);
    for (const text of readings) if (text !== '') yield { text, counts: false, isCut: false };
  }
  const isSkipped = isExact && isFile(head, lines);
  const types = partTypes(head);
  if (content !== undefined && !isSkipped)
    yield { ...emptyPiece, hasUnknownCharset: isUnknownCharsetNamed(types) || namesCharset(names, content) };
  if (!isExact) yield contentOf(head);
  if (isSkipped) return;
  const field: Field = {
    encodings: anyEncoding ?? encodingsIn(transferEncodings(head).join('\n')),
    isFile: names.some(isFileKey),
    isJson: types.some((type) => mentionOfJson.test(type.toLowerCase())),
  };
  const contents = content === undefined ? [] : [content];
  for (const text of new Set([...contents, ...(isExact ? [] : otherContents(part))]))
    yield* contentPieces(field, text, json);
}

export function hasParts(body: string, boundary: string): boolean {
  return body.includes(`--${boundary}`);
}

/** Yields the pieces of all parts, and the whole body if servers can find different heads or boundary lines. */
function* partPieces(body: string, boundary: string, json: string[]): Generator<Piece> {
  const delimiter = `--${boundary}`;
  const form = boundary === anyBoundary ? undefined : exactForm(body, delimiter);
  const [preamble, ...parts] = splitBefore(form ?? body, delimiter, '^|\r\n|\n|\r');
  if (form === undefined) yield contentOf(preamble);
  const encodings = encodingsIn(body);
  let isExact = form !== undefined;
  for (const [index, part] of parts.entries()) {
    isExact &&= hasExactHead(part, index === parts.length - 1);
    yield* piecesOfPart(part, json, isExact ? undefined : encodings);
  }
  if (isExact) return;
  const isSplit = form === undefined && boundary !== anyBoundary;
  const [first, ...others] = isSplit ? splitBefore(body, delimiter, '\r\n|\n|\r|') : [''];
  if (others.length > parts.length) {
    yield contentOf(first);
    for (const part of others) yield* piecesOfPart(part, json, encodings);
  }
  yield pieceOf(body);
}

/**
 * Yields the names of parts, and the content of parts that are not a file, then the strings of JSON in these contents.
 * Parts begin after lines that begin with the delimiter. If servers can find different heads or boundary lines, also
 * yields the whole body. Before that, if the boundary lines can differ, yields the parts after every delimiter when there
 * are more of them.
 */
export function* multipartPieces(body: string, boundary: string): Generator<Piece> {
  if (!hasParts(body, boundary)) return;
  const json: string[] = [];
  yield* partPieces(body, boundary, json);
  for (const string of nestedStrings(json)) yield pieceOf(string);
}
