/**
 * How a body can be read. Servers disagree on a Content-Type that is repeated or is a list: some use the first line,
 * some the last, and some join the lines. Each kind that one of them can use is therefore inspected.
 */
import { asciiCharsets } from '../policy/charsets.ts';
import { limits } from '../policy/limits.ts';
import { valueReadings } from './parameters.ts';
import type { Headers } from './request.ts';

type Kind = 'form' | 'json' | 'multipart';

/** Makes every line that begins with `--` a boundary line. This covers each line that some server takes for one. */
export const anyBoundary = '';

/** A kind of body; for a multipart form also its boundary. */
export interface BodyReading {
  readonly kind: Kind;
  readonly boundary?: string;
}

/** The kind of a media type in lower case, without parameters. */
function kindOf(type: string): Kind | undefined {
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  return type === 'multipart/form-data' ? 'multipart' : undefined;
}

/** In order of first mention. Commas in quotation marks also separate, because some servers ignore the marks. */
function kindsOf(lines: readonly string[]): Set<Kind> {
  const kinds = new Set<Kind>();
  for (const member of lines.flatMap((line) => line.split(','))) {
    const type = /^[ \t\n\v\f\r]*([^; \t\n\v\f\r]*)/.exec(member)?.[1] ?? '';
    const kind = kindOf(type.toLowerCase());
    if (kind) kinds.add(kind);
  }
  return kinds;
}

/**
 * The distinct readings of a parameter, wherever its name occurs: PHP finds it inside other names and quoted text.
 * `undefined`: a value is in pieces (RFC 2231), or there are more readings than a multipart form can have boundaries.
 */
function parameterValues(lines: readonly string[], name: string, keepsQuotes: boolean): string[] | undefined {
  const found = new Set<string>();
  for (const line of lines) {
    const lower = line.toLowerCase();
    for (let at = lower.indexOf(name); at >= 0; ) {
      const equals = line.indexOf('=', at);
      if (equals < 0) break;
      if (line.slice(at, equals).includes('*')) return undefined;
      for (const value of valueReadings(line, equals + 1, keepsQuotes)) found.add(value);
      if (found.size > limits.multipartBoundaries) return undefined;
      at = lower.indexOf(name, equals + 1);
    }
  }
  return [...found];
}

/** `anyBoundary` when a server could use a boundary that is not in the list. */
function boundariesOf(lines: readonly string[]): readonly string[] {
  const found = parameterValues(lines, 'boundary', true);
  const isLong = (value: string) => value.length > limits.multipartBoundaryBytes;
  return !found || found.length === 0 || found.some(isLong) ? [anyBoundary] : found;
}

/** For lines that are too long to be read. */
const everyReading: readonly BodyReading[] = [
  { kind: 'form' },
  { kind: 'json' },
  { kind: 'multipart', boundary: anyBoundary },
];

const typesOf = (headers: Headers) =>
  headers.filter(([name]) => name.toLowerCase() === 'content-type').map(([, value]) => value);

const areTooLong = (lines: readonly string[]) => lines.join(',').length > limits.contentTypeBytes;

/** Whether some server reads the body in a character set in which ASCII text has other bytes. */
export function hasUnknownCharset(headers: Headers): boolean {
  const lines = typesOf(headers);
  const names = areTooLong(lines) ? undefined : parameterValues(lines, 'charset', false);
  return !names?.every((name) => asciiCharsets.includes(name.toLowerCase()));
}

/** Each kind once, in order of first mention; a multipart form once for each boundary. */
export function bodyReadings(headers: Headers): readonly BodyReading[] {
  const lines = typesOf(headers);
  if (areTooLong(lines)) return everyReading;
  return [...kindsOf(lines)].flatMap((kind): BodyReading[] =>
    kind === 'multipart' ? boundariesOf(lines).map((boundary) => ({ kind, boundary })) : [{ kind }],
  );
}
