/** Parts of a multipart/form-data body (RFC 7578, RFC 2046 5.1). */
import { limits } from '../policy/limits.ts';
import { strip } from './bytes.ts';
import { anyBoundary, isUnknownCharset, nameUnknownCharset } from './content-type.ts';
import { dispositions, isFile, namesOf, partTypes } from './disposition.ts';
import { type Piece, pieceOf } from './piece.ts';

/** The parts after each boundary line. A line ends in CRLF or LF, and the body may begin with one. */
function split(body: string, boundary: string): string[] {
  const literal = boundary.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return body.split(new RegExp(`(?:^|\\r?\\n)--${literal}`)).slice(1);
}

/** Header lines of a part, and its content if an empty line ends them. */
function headAndContent(part: string): [head: string, content?: string] {
  const text = part.replace(/^[ \t]*\r?\n/, '');
  const gap = /(?:^|\r?\n)\r?\n/.exec(text);
  return gap ? [text.slice(0, gap.index), text.slice(gap.index + gap[0].length)] : [text];
}

const free: Piece = { text: '', counts: false, isCut: false };
const cost: Piece = { ...free, counts: true };

/** Whether the part is the field in which a form names the character set of its parts (RFC 7578 4.6), an unknown one. */
function namesCharset(lines: readonly string[], content: string): boolean {
  const isField = [...namesOf(lines)].flat().some((name) => name.toLowerCase() === '_charset_');
  return isField && isUnknownCharset(strip(content, ' \t\r\n'));
}

/** With `anyBoundary`, the apparent head or file may be the content of a field. */
function* piecesOfPart(part: string, boundary: string): Generator<Piece> {
  yield cost;
  const [head, content] = headAndContent(part);
  const lines = dispositions(head);
  for (const readings of namesOf(lines)) {
    yield cost;
    for (const text of readings) if (text !== '') yield { text, counts: false, isCut: false };
  }
  const isFilePart = lines.length > 0 && lines.every(isFile);
  if (content !== undefined && (boundary === anyBoundary || !isFilePart))
    yield { ...free, hasUnknownCharset: nameUnknownCharset(partTypes(head)) || namesCharset(lines, content) };
  const texts = boundary === anyBoundary ? [head, content] : isFilePart ? [] : [content];
  for (const text of texts) if (text !== undefined) yield pieceOf(text, limits.multipartContentBytes);
}

/** Whether the body has a boundary line. */
export function hasParts(body: string, boundary: string): boolean {
  return split(body, boundary).length > 0;
}

/**
 * Names of each part, and the content of those that are not a file. A missing end is the end of the body. Each part and
 * each name counts, because their readings cost more than their bytes.
 */
export function* multipartPieces(body: string, boundary: string): Generator<Piece> {
  for (const part of split(body, boundary)) {
    if (boundary !== anyBoundary && part.startsWith('--')) return;
    yield* piecesOfPart(part, boundary);
  }
}
