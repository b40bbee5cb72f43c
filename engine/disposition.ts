/** Headers of a part, and the names in its Content-Disposition lines, in each way that some server reads them. */
import { valueReadings } from './parameters.ts';

const linesOf = (head: string, start: RegExp): string[] => head.split(/\r?\n/).filter((line) => start.test(line));

/**
 * Every line of a head that begins like this. Servers use the first or the last, and only some join a folded line. Django removes
 * blanks and control characters around a name.
 */
function headerLines(head: string, start: RegExp): string[] {
  const unfolded = head.replace(/\r?\n[ \t]+/g, ' ');
  return unfolded === head ? linesOf(head, start) : [...linesOf(head, start), ...linesOf(unfolded, start)];
}

export const dispositions = (head: string): string[] => headerLines(head, /^[^!-~]*content-disposition[^!-~]*:/i);

export const partTypes = (head: string): string[] => headerLines(head, /^[^!-~]*content-type[^!-~]*:/i);

export const transferEncodings = (head: string): string[] =>
  headerLines(head, /^[^!-~]*content-transfer-encoding[^!-~]*:/i);

type Kind = 'name' | 'filename' | 'filename*';

/** In the order in which they are inspected. */
const kinds: readonly Kind[] = ['name', 'filename', 'filename*'];

/** The text after the character set and the language of an extended value (RFC 8187). */
function extended(value: string): string[] {
  const start = value.indexOf("'", value.indexOf("'") + 1) + 1;
  return start === 0 ? [value] : [value, value.slice(start)];
}

/** A file name, and the parameter that it is the value of where it may have a folder: rules apply to folders of uploads only. */
function fileNames(name: string): string[] {
  return /[/\\%\x80-\xff]/.test(name) ? [name, `filename=${name}`] : [name];
}

/** Readings of each parameter of one kind, wherever it occurs, because some servers ignore quotation marks. */
function* namesOfKind(line: string, kind: Kind): Generator<string[]> {
  for (const match of line.matchAll(/name([*0-9]*)[ \t]*=/gi)) {
    const isFileName = line.slice(Math.max(0, match.index - 4), match.index).toLowerCase() === 'file';
    const isExtended = match[1] !== '';
    const found: Kind = isFileName ? (isExtended ? 'filename*' : 'filename') : 'name';
    if (found !== kind) continue;
    const values = [...valueReadings(line, match.index + match[0].length, false)];
    const readings = isExtended ? values.flatMap(extended) : values;
    yield isFileName ? readings.flatMap(fileNames) : readings;
  }
}

/** The readings of each name: of fields, then of files, then extended names of files. */
export function* namesOf(lines: readonly string[]): Generator<string[]> {
  for (const kind of kinds) for (const line of lines) yield* namesOfKind(line, kind);
}

/** A header line that no server takes for a part of another one, or for none. */
const plainLine = /^[0-9A-Za-z-]+: [^\0- \x7f][^\0-\x08\n-\x1f\x7f]*$/;

/** The header line of a file as browsers and libraries send it. */
const fileLine = new RegExp(
  '^[Cc]ontent-[Dd]isposition: (?:form-data|attachment)NAME?; +filename=(?:"[^\\t "\\\\](?:[^"]*[^"\\\\])?"|[\\w.][\\w.+-]*)NAME?EXTENDED?$'
    .replaceAll('NAME', '(?:; *name=(?:"[^";=\\\\]*"|[\\w.+-]+))')
    .replace('EXTENDED', "(?:; *filename\\*=[\\w-]+'[\\w-]*'[\\w.%!~+-]+)"),
);

/**
 * Whether every server takes the part with this head, and these dispositions in it, for a file. Each of several servers finds no file name where it is in another
 * place, in other letters, not a token, or behind a folded line or one without a name: the content is then a field.
 */
export function isFile(head: string, lines: readonly string[]): boolean {
  return (
    lines.length > 0 &&
    lines.every((line) => fileLine.test(line)) &&
    head.split('\r\n').every((line) => plainLine.test(line))
  );
}
