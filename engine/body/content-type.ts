/** The ways to read a body. Servers disagree on repeated Content-Types, so every possible kind is inspected. */
import { asciiCharsets } from '../../contract/policy/charsets.ts';
import { limits } from '../../contract/policy/limits.ts';
import type { Headers } from '../request.ts';
import { valueReadings } from './parameters.ts';

type Kind = 'form' | 'json' | 'xml' | 'multipart';

/**
 * Treats every line that begins with `--` as a boundary line. This covers every boundary that some server could use.
 */
export const anyBoundary = '';

/** One way to read a body: its kind, and the boundary of a multipart form. */
export interface BodyReading {
  readonly kind: Kind;
  readonly boundary?: string;
  /**
   * True when a Content-Type line names the kind, or when the lines are too long to parse. False when the kind is a
   * guess from the content.
   */
  readonly isNamed: boolean;
}

/**
 * The kind that a Content-Type line names. With `any`, some servers guess the kind from the content. With `maybeJson`,
 * some servers read the body as JSON if it looks like JSON.
 */
type Named = Kind | 'any' | 'maybeJson';

/** Types of streams. A stream may never end, so no proxy waits for such a body and the guard does not inspect it. */
const streamType = /^application\/(?:grpc|connect\+)/;

/**
 * Returns the kind for a media type in lower case. Symfony and Undertow treat every type with the prefix of a form type
 * as a form. Rails has more names for JSON, such as `application/jsonrequest`.
 */
function kindOf(type: string): Named | undefined {
  if (type === '' || type === 'text/plain') return 'any';
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form';
  if (/[/+]json$|\/x-json$|\/jsonrequest$/.test(type)) return 'json';
  if (/[/+]xml$|\/x-xml$/.test(type)) return 'xml';
  return type.startsWith('multipart/') ? 'multipart' : undefined;
}

/** Laravel finds JSON anywhere in a line, also in a parameter. Jackson reads JavaScript as JSON. */
export const mentionOfJson = /[/+]json|\/(?:x-)?javascript/;

/** Returns the kinds for one media type of a comma-separated list, in lower case and with its parameters. */
function kindsIn(member: string): Named[] {
  const type = /^[ \t\n\v\f\r]*([^; \t\n\v\f\r]*)/.exec(member)?.[1] ?? '';
  if (streamType.test(type)) return [];
  const kind = kindOf(type);
  return [...(kind ? [kind] : []), ...(mentionOfJson.test(member) ? (['maybeJson'] as const) : [])];
}

/**
 * Returns the kinds in order of first mention. Commas in quotation marks also separate types, because some servers
 * ignore the marks.
 */
function kindsOf(lines: readonly string[]): Set<Named> {
  const kinds = new Set<Named>();
  for (const member of lines.flatMap((line) => line.split(',')))
    for (const kind of kindsIn(member.toLowerCase())) kinds.add(kind);
  return kinds;
}

/**
 * Returns the distinct values that servers may read for a parameter. The name also counts inside longer names, because
 * PHP finds it there. Returns undefined for a split or encoded value (RFC 2231), and for more than `limits.multipartBoundaries`
 * values.
 */
function parameterValues(lines: readonly string[], name: string, keepsMarks: boolean): string[] | undefined {
  const found = new Set<string>();
  for (const line of lines) {
    const lower = line.toLowerCase();
    for (let at = lower.indexOf(name); at >= 0; ) {
      const equals = line.indexOf('=', at);
      if (equals < 0) break;
      if (line.slice(at, equals).includes('*')) return undefined;
      for (const value of valueReadings(line, equals + 1, keepsMarks)) found.add(value);
      if (found.size > limits.multipartBoundaries) return undefined;
      at = lower.indexOf(name, equals + 1);
    }
  }
  return [...found];
}

/** Returns the possible boundaries, or `anyBoundary` when a server could use one that is not in the list. */
function boundariesOf(lines: readonly string[]): readonly string[] {
  const found = parameterValues(lines, 'boundary', true);
  const isLong = (value: string) => value.length > limits.multipartBoundaryBytes;
  return !found || found.length === 0 || found.some(isLong) ? [anyBoundary] : found;
}

/** The kinds of a body whose Content-Type lines are too long to parse. */
const everyKind: readonly Named[] = ['form', 'json', 'xml', 'multipart'];

/** Guesses the kinds of a body from its start. NULs are skipped, because some servers detect UTF-16 and UTF-32. */
function guessKinds(body: string): Kind[] {
  const first = /^(?:\0\0)?(?:\xef\xbb\xbf|\xfe\xff|\xff\xfe)?[\0 \t\r\n]*([[{"<])/.exec(body)?.[1];
  return [
    ...(first === undefined ? [] : [first === '<' ? ('xml' as const) : ('json' as const)]),
    ...(/^[ \t\r\n]*[!#-&(-;?-z|~]*=/.test(body) ? (['form'] as const) : []),
  ];
}

function kindsFor(name: Named, body: string): Kind[] {
  if (name === 'any') return guessKinds(body);
  return name === 'maybeJson' ? guessKinds(body).filter((kind) => kind === 'json') : [name];
}

const typesOf = (headers: Headers) =>
  headers.filter(([name]) => name.toLowerCase() === 'content-type').map(([, value]) => value);

const areTooLong = (lines: readonly string[]) => lines.join(',').length > limits.contentTypeBytes;

export const isUnknownCharset = (name: string): boolean => !asciiCharsets.includes(name.toLowerCase());

/**
 * True when the lines name a character set outside of `asciiCharsets`, or when they can name one because they are too
 * long to parse, split the name, or have too many values.
 */
export function isUnknownCharsetNamed(lines: readonly string[]): boolean {
  const names = areTooLong(lines) ? undefined : parameterValues(lines, 'charset', false);
  return names === undefined || names.some(isUnknownCharset);
}

export const hasUnknownCharset = (headers: Headers): boolean => isUnknownCharsetNamed(typesOf(headers));

/**
 * Returns the kinds that the Content-Type lines name: `any` without a line, every kind when they are too long to parse.
 */
export function namedKinds(headers: Headers): ReadonlySet<Named> {
  const lines = typesOf(headers);
  return areTooLong(lines) ? new Set(everyKind) : kindsOf(lines.length === 0 ? [''] : lines);
}

/** Returns the readings in order of first mention. A multipart form occurs once for each boundary. */
export function bodyReadings(headers: Headers, named: ReadonlySet<Named>, body: string): BodyReading[] {
  const lines = typesOf(headers);
  const kinds = new Set([...named].flatMap((name) => kindsFor(name, body)));
  return [...kinds].flatMap((kind): BodyReading[] => {
    const reading = { kind, isNamed: named.has(kind) };
    if (kind !== 'multipart') return [reading];
    return (areTooLong(lines) ? [anyBoundary] : boundariesOf(lines)).map((boundary) => ({ ...reading, boundary }));
  });
}
