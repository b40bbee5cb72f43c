/** Parts of a multipart/form-data body (RFC 7578, RFC 2046 5.1). */
import { limits } from '../../contract/policy/limits.ts';
import { strip, stripEnd } from '../bytes.ts';
import { type Piece, pieceOf } from '../piece.ts';
import { anyBoundary, isUnknownCharset, isUnknownCharsetNamed } from './content-type.ts';
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
function namesCharset(lines: readonly string[], content: string): boolean {
  const isField = [...namesOf(lines)].flat().some((name) => name.toLowerCase() === '_charset_');
  return isField && isUnknownCharset(strip(content, ' \t\r\n'));
}

const contentOf = (text: string): Piece => pieceOf(text, limits.multipartContentBytes);

/**
 * Yields the pieces of one part. `anyEncoding` is present when servers find different parts: a head or a file can then
 * also be the content of a field.
 */
function* piecesOfPart(part: string, anyEncoding?: readonly TransferEncoding[]): Generator<Piece> {
  const isExact = anyEncoding === undefined;
  yield countedPiece;
  const [head, content] = headAndContent(part);
  const lines = dispositions(head);
  for (const readings of namesOf(lines)) {
    yield countedPiece;
    for (const text of readings) if (text !== '') yield { text, counts: false, isCut: false };
  }
  const isSkipped = isExact && isFile(head, lines);
  if (content !== undefined && !isSkipped)
    yield { ...emptyPiece, hasUnknownCharset: isUnknownCharsetNamed(partTypes(head)) || namesCharset(lines, content) };
  if (!isExact) yield contentOf(head);
  if (isSkipped) return;
  const encodings = anyEncoding ?? encodingsIn(transferEncodings(head).join('\n'));
  for (const text of new Set([...(content === undefined ? [] : [content]), ...(isExact ? [] : otherContents(part))])) {
    yield contentOf(text);
    for (const decoded of decodedTexts(encodings, text.slice(0, limits.multipartContentBytes)))
      yield contentOf(decoded);
  }
}

export function hasParts(body: string, boundary: string): boolean {
  return body.includes(`--${boundary}`);
}

/**
 * Yields the names of parts, and the content of parts that are not a file. Parts begin after lines that begin with the
 * delimiter. If servers can find different heads or boundary lines, also yields the whole body. Before that, if the
 * boundary lines can differ, yields the parts after every delimiter when there are more of them.
 */
export function* multipartPieces(body: string, boundary: string): Generator<Piece> {
  if (!hasParts(body, boundary)) return;
  const delimiter = `--${boundary}`;
  const form = boundary === anyBoundary ? undefined : exactForm(body, delimiter);
  const [preamble, ...parts] = splitBefore(form ?? body, delimiter, '^|\r\n|\n|\r');
  if (form === undefined) yield contentOf(preamble);
  const encodings = encodingsIn(body);
  let isExact = form !== undefined;
  for (const [index, part] of parts.entries()) {
    isExact &&= hasExactHead(part, index === parts.length - 1);
    yield* piecesOfPart(part, isExact ? undefined : encodings);
  }
  if (isExact) return;
  const isSplit = form === undefined && boundary !== anyBoundary;
  const [first, ...others] = isSplit ? splitBefore(body, delimiter, '\r\n|\n|\r|') : [''];
  if (others.length > parts.length) {
    yield contentOf(first);
    for (const part of others) yield* piecesOfPart(part, encodings);
  }
  yield pieceOf(body);
}
