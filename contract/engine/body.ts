/** Values of a body. Its limits end the inspection and never block, because uploads must work. */
import { limits } from '../policy/limits.ts';
import { nonEmptyParts, strip } from './bytes.ts';
import { jsonStrings } from './json-strings.ts';
import { multipartValues } from './multipart.ts';
import { type ParameterStyle, parseParameters } from './parameters.ts';
import { keyAndValue, plusReadings } from './query.ts';
import type { Headers, Target } from './request.ts';
import { type Budget, view } from './view.ts';

const contentTypeStyle: ParameterStyle = {
  name: /;[ \t]*([A-Za-z0-9*_-]+)[ \t]*=[ \t]*/,
  mayBeOpen: false,
  escape: /\\([^\n])/g,
};

interface ContentType {
  /** In lower case, without parameters; empty when there is no such header. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The first Content-Type counts. */
function contentType(headers: Headers): ContentType {
  const value = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const end = value.indexOf(';');
  const type = strip(end < 0 ? value : value.slice(0, end), ' \t').toLowerCase();
  return { type, parameters: parseParameters(value, contentTypeStyle) };
}

function isEncoded(headers: Headers): boolean {
  return headers.some(
    ([name, value]) =>
      name.toLowerCase() === 'content-encoding' &&
      !['', 'identity'].includes(strip(value, ' \t\n\r\f\v').toLowerCase()),
  );
}

function* formValues(body: string): Generator<string> {
  for (const part of nonEmptyParts(body, '&')) yield* keyAndValue(part);
}

/** The values of a body of some type, and whether `+` may be a space in them. */
function bodyValues({ type, parameters }: ContentType, body: string): { values: Iterable<string>; isForm: boolean } {
  const boundary = parameters.get('boundary') ?? '';
  if (type === 'application/x-www-form-urlencoded') return { values: formValues(body), isForm: true };
  if (type === 'application/json' || type.endsWith('+json')) return { values: jsonStrings(body), isForm: false };
  if (type === 'multipart/form-data' && boundary !== '' && boundary.length <= limits.multipartBoundaryBytes)
    return { values: multipartValues(body, boundary), isForm: false };
  return { values: [], isForm: false };
}

/** Targets of the first `maxBytes` bytes of a body, with a budget of its own. */
export function* bodyTargets(headers: Headers, body: string, maxBytes: number): Generator<Target> {
  if (isEncoded(headers)) return;
  const { values, isForm } = bodyValues(contentType(headers), body.slice(0, maxBytes));
  const budget: Budget = { used: 0 };
  let count = 0;
  for (const value of values) {
    if (count === limits.bodyValues) return;
    count += 1;
    for (const reading of isForm ? plusReadings(value) : [value]) {
      const { candidates, limit } = view(reading.slice(0, limits.bodyValueBytes), limits.bodyValueBytes, budget);
      yield { name: 'body', kind: 'body', candidates };
      const isSpent = budget.used + limits.bodyValueBytes > limits.requestBytes;
      if (limit === 'limit_candidates' && isSpent) return;
    }
  }
}
