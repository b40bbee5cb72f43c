/** Parts of a multipart/form-data body (RFC 7578, RFC 2046 5.1). */
import { limits } from '../policy/limits.ts';
import { anyBoundary } from './content-type.ts';
import { dispositions, isFile, namesOf } from './disposition.ts';

/** The parts after each boundary line. A line ends in CRLF or LF, and the body may begin with one. */
function split(body: string, boundary: string): string[] {
  const literal = boundary.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return body.split(new RegExp(`(?:^|\\r?\\n)--${literal}`)).slice(1);
}

/** Header lines of a part, and its content if an empty line ends them. */
function headAndContent(part: string): [head: string, content?: string] {
  const text = part.replace(/^[ \t]*\r?\n/, '');
  const gap = /\r?\n\r?\n/.exec(text);
  return gap ? [text.slice(0, gap.index), text.slice(gap.index + gap[0].length)] : [text];
}

/** With `anyBoundary`, the apparent head or file may be the content of a field. */
function* valuesOfPart(part: string, boundary: string): Generator<string> {
  const [head, content] = headAndContent(part);
  const lines = dispositions(head);
  yield* namesOf(lines);
  const isFilePart = lines.length > 0 && lines.every(isFile);
  const texts = boundary === anyBoundary ? [head, content] : isFilePart ? [] : [content];
  for (const text of texts) if (text !== undefined) yield text.slice(0, limits.multipartContentBytes);
}

/** Names of each part, and the content of those that are not a file. A missing end is the end of the body. */
export function* multipartValues(body: string, boundary: string): Generator<string> {
  for (const part of split(body, boundary)) {
    if (boundary !== anyBoundary && part.startsWith('--')) return;
    yield* valuesOfPart(part, boundary);
  }
}
