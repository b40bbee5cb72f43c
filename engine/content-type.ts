/**
 * How a body can be read. Servers disagree on a Content-Type that is repeated or is a list: some use the first line,
 * some the last, and some join the lines. Each kind that one of them can use is therefore inspected.
 */
import { asciiCharsets } from '../contract/policy/charsets.ts';
import { limits } from '../contract/policy/limits.ts';
import { valueReadings } from './parameters.ts';
import type { Headers } from './request.ts';

type Kind = 'form' | 'json' | 'xml' | 'multipart';

/** Makes every line that begins with `--` a boundary line. This covers each line that some server takes for one. */
export const anyBoundary = '';

/** A kind of body; for a multipart form also its boundary. */
export interface BodyReading {
  readonly kind: Kind;
  readonly boundary?: string;
  /** A Content-Type line names the kind; otherwise the body looks like one. */
  readonly isNamed: boolean;
}

/**
 * What a Content-Type line names. `any`: some servers read the body as what it looks like. `maybeJson`: some servers read it
 * as JSON if it looks like that.
 */
type Named = Kind | 'any' | 'maybeJson';

/** Streams whose bytes may never come: no host waits for them. */
const stream = /^application\/(?:grpc|connect\+)/;

/**
 * What a media type in lower case, without parameters, names. Symfony and Undertow read each type that begins like that of a
 * form as one. Rails has more names for JSON and XML.
 */
function kindOf(type: string): Named | undefined {
  if (type === '' || type === 'text/plain') return 'any';
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form';
  if (/[/+]json$|\/x-json$|\/jsonrequest$/.test(type)) return 'json';
  if (/[/+]xml$|\/x-xml$/.test(type)) return 'xml';
  return type.startsWith('multipart/') ? 'multipart' : undefined;
}

/** Laravel finds JSON anywhere in a line, also in a parameter. Jackson reads JavaScript as JSON. */
const mentionOfJson = /[/+]json|\/(?:x-)?javascript/;

/** What a member of a list of types in lower case names. */
function kindsIn(member: string): Named[] {
  const type = /^[ \t\n\v\f\r]*([^; \t\n\v\f\r]*)/.exec(member)?.[1] ?? '';
  if (stream.test(type)) return [];
  const kind = kindOf(type);
  return [...(kind ? [kind] : []), ...(mentionOfJson.test(member) ? (['maybeJson'] as const) : [])];
}

/** In order of first mention. Commas in quotation marks also separate, because some servers ignore the marks. */
function kindsOf(lines: readonly string[]): Set<Named> {
  const kinds = new Set<Named>();
  for (const member of lines.flatMap((line) => line.split(',')))
    for (const kind of kindsIn(member.toLowerCase())) kinds.add(kind);
  return kinds;
}

/**
 * The distinct readings of a parameter, wherever its name occurs: PHP finds it inside other names and quoted text.
 * `undefined`: a value is in pieces (RFC 2231), or there are more readings than a multipart form can have boundaries.
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

/** `anyBoundary` when a server could use a boundary that is not in the list. */
function boundariesOf(lines: readonly string[]): readonly string[] {
  const found = parameterValues(lines, 'boundary', true);
  const isLong = (value: string) => value.length > limits.multipartBoundaryBytes;
  return !found || found.length === 0 || found.some(isLong) ? [anyBoundary] : found;
}

/** For lines that are too long to be read. */
const everyKind: readonly Named[] = ['form', 'json', 'xml', 'multipart'];

/**
 * The kinds that a body looks like: JSON and XML by their first character, a form by printable ASCII before the first `=`. Some
 * servers detect UTF-16 and UTF-32, in which that character has NULs around it, by themselves.
 */
function guesses(body: string): Kind[] {
  const first = /^(?:\0\0)?(?:\xef\xbb\xbf|\xfe\xff|\xff\xfe)?[\0 \t\r\n]*([[{"<])/.exec(body)?.[1];
  return [
    ...(first === undefined ? [] : [first === '<' ? ('xml' as const) : ('json' as const)]),
    ...(/^[ \t\r\n]*[!#-&(-;?-z|~]*=/.test(body) ? (['form'] as const) : []),
  ];
}

/** The kinds as which a body is read for a name. */
function kindsFor(name: Named, body: string): Kind[] {
  if (name === 'any') return guesses(body);
  return name === 'maybeJson' ? guesses(body).filter((kind) => kind === 'json') : [name];
}

const typesOf = (headers: Headers) =>
  headers.filter(([name]) => name.toLowerCase() === 'content-type').map(([, value]) => value);

const areTooLong = (lines: readonly string[]) => lines.join(',').length > limits.contentTypeBytes;

export const isUnknownCharset = (name: string): boolean => !asciiCharsets.includes(name.toLowerCase());

/** Whether some server reads the content in a character set in which ASCII text has other bytes. */
export function nameUnknownCharset(lines: readonly string[]): boolean {
  const names = areTooLong(lines) ? undefined : parameterValues(lines, 'charset', false);
  return names === undefined || names.some(isUnknownCharset);
}

export const hasUnknownCharset = (headers: Headers): boolean => nameUnknownCharset(typesOf(headers));

/** What the Content-Type lines name, in order of first mention. A body without a type may be anything. */
export function namedKinds(headers: Headers): ReadonlySet<Named> {
  const lines = typesOf(headers);
  return areTooLong(lines) ? new Set(everyKind) : kindsOf(lines.length === 0 ? [''] : lines);
}

/** Each kind once, in order of first mention; a multipart form once for each boundary. */
export function bodyReadings(headers: Headers, named: ReadonlySet<Named>, body: string): BodyReading[] {
  const lines = typesOf(headers);
  const kinds = new Set([...named].flatMap((name) => kindsFor(name, body)));
  return [...kinds].flatMap((kind): BodyReading[] => {
    const way = { kind, isNamed: named.has(kind) };
    if (kind !== 'multipart') return [way];
    return (areTooLong(lines) ? [anyBoundary] : boundariesOf(lines)).map((boundary) => ({ ...way, boundary }));
  });
}
