/** Parts of a multipart/form-data body (RFC 7578, RFC 2046 5.1). */
import { limits } from '../policy/limits.ts';
import { type ParameterStyle, parseParameters } from './parameters.ts';

const disposition: ParameterStyle = {
  name: /;[ \t]*([A-Za-z*]+)[ \t]*=[ \t]*/,
  mayBeOpen: true,
  escape: /\\(["\\])/g,
};

const names = ['name', 'filename', 'filename*'];

/** The parts behind each boundary line; a line ends in CRLF or LF, and the body may begin with one. */
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

function* valuesOfPart(part: string): Generator<string> {
  const [head, content] = headAndContent(part);
  const line = head.split(/\r?\n/).find((line) => line.toLowerCase().startsWith('content-disposition:')) ?? '';
  const parameters = parseParameters(line, disposition);
  for (const name of names) {
    const value = parameters.get(name);
    if (value) yield value;
  }
  const isFile = parameters.has('filename') || parameters.has('filename*');
  if (content !== undefined && !isFile) yield content.slice(0, limits.multipartContentBytes);
}

/** Names of each part, and the content of those that are no file. A missing end is the end of the body. */
export function* multipartValues(body: string, boundary: string): Generator<string> {
  for (const part of split(body, boundary)) {
    if (part.startsWith('--')) return;
    yield* valuesOfPart(part);
  }
}
