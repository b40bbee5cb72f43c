/**
 * How a body can be read. Servers disagree on a Content-Type that is repeated or is a list: some use the first line,
 * some the last, and some join the lines. Each kind that one of them can use is therefore inspected.
 */
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
 * Values of the parameter `boundary`, wherever its name occurs: PHP finds it inside other names and quoted text.
 * `anyBoundary` when a server could use a boundary that is not in the list.
 */
function boundariesOf(lines: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const line of lines) {
    const lower = line.toLowerCase();
    for (let name = lower.indexOf('boundary'); name >= 0; ) {
      const equals = line.indexOf('=', name);
      if (equals < 0) break;
      if (line.slice(name, equals).includes('*')) return [anyBoundary];
      for (const value of valueReadings(line, equals + 1, true)) if (!found.includes(value)) found.push(value);
      const isLong = found.some((value) => value.length > limits.multipartBoundaryBytes);
      if (isLong || found.length > limits.multipartBoundaries) return [anyBoundary];
      name = lower.indexOf('boundary', equals + 1);
    }
  }
  return found.length === 0 ? [anyBoundary] : found;
}

/** For lines that are too long to be read. */
const everyReading: readonly BodyReading[] = [
  { kind: 'form' },
  { kind: 'json' },
  { kind: 'multipart', boundary: anyBoundary },
];

/** Each kind once, in order of first mention; a multipart form once for each boundary. */
export function bodyReadings(headers: Headers): readonly BodyReading[] {
  const lines = headers.filter(([name]) => name.toLowerCase() === 'content-type').map(([, value]) => value);
  if (lines.join(',').length > limits.contentTypeBytes) return everyReading;
  return [...kindsOf(lines)].flatMap((kind): BodyReading[] =>
    kind === 'multipart' ? boundariesOf(lines).map((boundary) => ({ kind, boundary })) : [{ kind }],
  );
}
