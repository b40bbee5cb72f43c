/** Values of a body. Its limits end the inspection and never block, because uploads must work. */
import { limits } from '../policy/limits.ts';
import { nonEmptyParts, strip } from './bytes.ts';
import { anyBoundary, type BodyReading, bodyReadings } from './content-type.ts';
import { jsonStrings } from './json-strings.ts';
import { multipartValues } from './multipart.ts';
import { keyAndValue, plusReadings } from './query.ts';
import type { Headers, Target } from './request.ts';
import { type Budget, view } from './view.ts';

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

/** The values of a body in one reading. */
function bodyValues({ kind, boundary = anyBoundary }: BodyReading, body: string): Iterable<string> {
  if (kind === 'form') return formValues(body);
  return kind === 'json' ? jsonStrings(body) : multipartValues(body, boundary);
}

/** Targets of the first `maxBytes` bytes of a body. All readings share one budget. */
export function* bodyTargets(headers: Headers, body: string, maxBytes: number): Generator<Target> {
  if (isEncoded(headers)) return;
  const budget: Budget = { used: 0 };
  let count = 0;
  for (const way of bodyReadings(headers))
    for (const value of bodyValues(way, body.slice(0, maxBytes))) {
      if (count === limits.bodyValues) return;
      count += 1;
      for (const reading of way.kind === 'form' ? plusReadings(value) : [value]) {
        const { candidates, limit } = view(reading.slice(0, limits.bodyValueBytes), limits.bodyValueBytes, budget);
        yield { name: 'body', kind: 'body', candidates };
        const isSpent = budget.used + limits.bodyValueBytes > limits.requestBytes;
        if (limit === 'limit_candidates' && isSpent) return;
      }
    }
}
