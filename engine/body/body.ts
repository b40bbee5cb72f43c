/**
 * Yields the values of a body as targets. An uninspected part blocks the request only with `bodyOverflow: block`,
 * because uploads must work by default.
 */
import { limits } from '../../contract/policy/limits.ts';
import type { Overflow } from '../../contract/policy/reasons.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { strip } from '../bytes.ts';
import { innerStrings } from '../inner-strings.ts';
import { isJson, nestedStrings } from '../json-strings.ts';
import { type Piece, pieceOf } from '../piece.ts';
import { formValues, plusReadings } from '../query.ts';
import type { BodyInspection, Headers, Target } from '../request.ts';
import { type Budget, view } from '../view.ts';
import { anyBoundary, type BodyReading, bodyReadings, hasUnknownCharset, namedKinds } from './content-type.ts';
import { hasParts, multipartPieces } from './multipart.ts';
import { textRuns } from './text-runs.ts';
import { isXml, xmlPieces } from './xml.ts';

function isEncoded(headers: Headers): boolean {
  return headers.some(
    ([name, value]) =>
      name.toLowerCase() === 'content-encoding' &&
      !['', 'identity'].includes(strip(value, ' \t\n\r\f\v').toLowerCase()),
  );
}

function* formStrings(body: string): Generator<string> {
  yield* formValues(body);
  yield* innerStrings(formValues(body));
}

const stringReaders = { form: formStrings, json: (body: string) => nestedStrings([body]) } as const;

function* pieces({ kind, boundary = anyBoundary }: BodyReading, body: string): Generator<Piece> {
  if (kind === 'multipart') yield* multipartPieces(body, boundary);
  else if (kind === 'xml') yield* xmlPieces(body);
  else for (const text of stringReaders[kind](body)) yield pieceOf(text);
}

/** Yields the runs of text in a body that has a Content-Encoding. */
function* runPieces(reading: BodyReading, body: string): Generator<Piece> {
  for (const piece of pieces(reading, body)) {
    if (piece.text === '') yield piece;
    for (const text of textRuns(piece.text)) yield { ...piece, ...pieceOf(text) };
  }
}

/** Splits a body of one kind into pieces. */
type Reader = (reading: BodyReading, body: string) => Iterable<Piece>;

/**
 * Yields the targets of a body in all its readings, until a limit stops it. Returns whether a part up to there has an
 * unknown character set.
 */
function* valueTargets(
  reader: Reader,
  readings: readonly BodyReading[],
  body: string,
  seen: BodyInspection,
): Generator<Target, boolean> {
  const budget: Budget = { used: 0 };
  let counted = 0;
  let isUnknown = false;
  const end = (cause: Overflow) => {
    seen.overflow ??= cause;
    return isUnknown;
  };
  for (const bodyReading of readings)
    for (const { text, counts, isCut, hasUnknownCharset = false } of reader(bodyReading, body)) {
      if (counts && counted === limits.bodyValues) return end('values');
      if (counts) counted += 1;
      isUnknown ||= hasUnknownCharset;
      if (isCut) end('value');
      if (text === '') continue;
      seen.values += 1;
      seen.bytes += text.length;
      for (const reading of bodyReading.kind === 'form' ? plusReadings(text) : [text]) {
        const { candidates, limit } = view(reading, limits.bodyValueBytes, budget);
        yield { name: 'body', kind: 'body', candidates };
        const isSpent = budget.used + limits.bodyValueBytes > limits.requestBytes;
        if (limit === 'limit_candidates' && isSpent) return end('values');
        if (limit) end('value');
      }
    }
  return isUnknown;
}

/** True when a server may find values in the body that the guard does not find. */
function isMalformed(readings: readonly BodyReading[], body: string): boolean {
  const forms = readings.filter(({ kind }) => kind === 'multipart');
  return (
    (readings.some(({ kind, isNamed }) => kind === 'json' && isNamed) && !isJson(body)) ||
    (readings.some(({ kind, isNamed }) => kind === 'xml' && isNamed) && !isXml(body)) ||
    (forms.length > 0 && !forms.some(({ boundary = anyBoundary }) => hasParts(body, boundary)))
  );
}

type BodyPolicy = Pick<Policy, 'maxBodyBytes' | 'bodyOverflow'>;

/** Yields the targets of the inspected part of a body. Records in `seen` how much of the body was inspected. */
export function* bodyTargets(
  headers: Headers,
  body: string,
  { maxBodyBytes, bodyOverflow }: BodyPolicy,
  seen: BodyInspection,
): Generator<Target> {
  const named = namedKinds(headers);
  if (named.size === 0 || body === '') return;
  const inspected = body.slice(0, maxBodyBytes);
  const readings = bodyReadings(headers, named, inspected);
  const isCoded = isEncoded(headers);
  const isPartUnknown = yield* valueTargets(isCoded ? runPieces : pieces, readings, inspected, seen);
  if (isCoded) seen.overflow = 'encoding';
  else if (readings.length > 0 && body.length > maxBodyBytes) seen.overflow = 'length';
  else if (isPartUnknown || hasUnknownCharset(headers)) seen.overflow = 'charset';
  else if (isMalformed(readings, body)) seen.overflow = 'malformed';
  if (seen.overflow && bodyOverflow === 'block')
    yield { name: 'body', kind: 'body', candidates: [], limit: 'limit_body' };
}
