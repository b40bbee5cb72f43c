/** Returns the header lines of a part, and every reading of the names in its Content-Disposition lines. */
import { wordReadings } from './encoded-words.ts';
import { valueReadings } from './parameters.ts';

const linesOf = (head: string, start: RegExp): string[] => head.split(/\r?\n/).filter((line) => start.test(line));

/**
 * Returns every line of a part's head that matches `start`. Some servers use the first line, some the last, and only
 * some join a folded line.
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

/** The kinds in the order of inspection. */
const kinds: readonly Kind[] = ['name', 'filename', 'filename*'];

/** Returns an extended value (RFC 8187), and the text in it after the character set and the language. */
function extendedReadings(value: string): string[] {
  const start = value.indexOf("'", value.indexOf("'") + 1) + 1;
  return start === 0 ? [value] : [value, value.slice(start)];
}

/**
 * Returns a file name. If it can contain a folder, also returns `filename=<name>`, because the rules for uploads match
 * this form.
 */
function fileNames(name: string): string[] {
  return /[/\\%\x80-\xff]/.test(name) ? [name, `filename=${name}`] : [name];
}

/**
 * Yields for each parameter, such as each `filename`, the values that servers may read. Parameters inside quotation
 * marks count too, because some servers ignore the marks.
 */
function* namesOfKind(line: string, kind: Kind): Generator<string[]> {
  for (const match of line.matchAll(/name([*0-9]*)[ \t]*=/gi)) {
    const isFileName = line.slice(Math.max(0, match.index - 4), match.index).toLowerCase() === 'file';
    const isExtended = match[1] !== '';
    const found: Kind = isFileName ? (isExtended ? 'filename*' : 'filename') : 'name';
    if (found !== kind) continue;
    const values = [...valueReadings(line, match.index + match[0].length, false)].flatMap(wordReadings);
    const readings = isExtended ? values.flatMap(extendedReadings) : values;
    yield isFileName ? readings.flatMap(fileNames) : readings;
  }
}

/** Yields the readings of each name: first of fields, then of files, then extended names of files. */
export function* namesOf(lines: readonly string[]): Generator<string[]> {
  for (const kind of kinds) for (const line of lines) yield* namesOfKind(line, kind);
}

/** A line that every server parses as one complete header. */
const plainLine = /^[0-9A-Za-z-]+: [^\0- \x7f][^\0-\x08\n-\x1f\x7f]*$/;

/** The Content-Disposition line of a file as browsers and libraries send it. */
const fileLine = new RegExp(
  '^[Cc]ontent-[Dd]isposition: (?:form-data|attachment)NAME?; +filename=(?:"[^\\t "\\\\](?:[^"]*[^"\\\\])?"|[\\w.][\\w.+-]*)NAME?EXTENDED?$'
    .replaceAll('NAME', '(?:; *name=(?:"[^";=\\\\]*"|[\\w.+-]+))')
    .replace('EXTENDED', "(?:; *filename\\*=[\\w-]+'[\\w-]*'[\\w.%!~+-]+)"),
);

/**
 * True when every server treats the part as a file. `lines` are the Content-Disposition lines of `head`. Some servers
 * read the content as a field when the file name is unusual.
 */
export function isFile(head: string, lines: readonly string[]): boolean {
  return (
    lines.length > 0 &&
    lines.every((line) => fileLine.test(line)) &&
    head.split('\r\n').every((line) => plainLine.test(line))
  );
}
