/**
 * The required response of each mode on the wire. A wire probe is a probe of the response mode, with the source `wire`.
 */
import { gunzipSync } from 'node:zlib';
import { bodilessStatuses, type Mode, modes, statusOf } from '../../contract/policy/modes.ts';
import { pages, referenceNotes, tarpitByte } from '../../contract/policy/pages.ts';
import { reference } from '../../contract/policy/reference.ts';
import type { Policy, Response } from '../../contract/policy/schema.ts';
import { type HttpResponse, headerValue, type Reply } from './response.ts';

type Check = (received: HttpResponse, response: Response, reason: string) => readonly string[];

const referenceHeader = reference.header.toLowerCase();

const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

function headerProblems(received: HttpResponse, name: string, expected: string): string[] {
  const value = headerValue(received, name);
  return value === bytesOf(expected)
    ? []
    : [`${name} is ${JSON.stringify(value ?? null)}, expected ${JSON.stringify(expected)}`];
}

const nosniffProblems = (received: HttpResponse): string[] =>
  headerProblems(received, 'x-content-type-options', 'nosniff');

/** Checks the default page of a mode. `checkBody` compares a body from the policy. */
const pageCheck =
  (what: string, holds: (body: string, reason: string) => boolean): Check =>
  ({ body }, response, reason) =>
    response.body !== undefined || holds(body, reason) ? [] : [`the body is not ${what}`];

function isJsonError(body: string, reason: string): boolean {
  try {
    return (JSON.parse(body) as { error?: { code?: unknown } }).error?.code === reason;
  } catch {
    return false;
  }
}

const mebibyte = 1024 * 1024;
/** Larger bombs are only checked by the size in their trailer. */
const inflatedMebibytes = 64;

function checkBomb(received: HttpResponse, { gzipBombMb }: Response): string[] {
  const stream = Buffer.from(received.body, 'latin1');
  const isRight = stream.length > 4 && stream.readUInt32LE(stream.length - 4) === gzipBombMb * mebibyte;
  const size = isRight ? [] : [`the gzip stream does not end as one of ${gzipBombMb} MiB`];
  return [...headerProblems(received, 'content-encoding', 'gzip'), ...size];
}

function bombProblems(stream: Buffer, mebibytes: number): string[] {
  if (mebibytes > inflatedMebibytes) return [];
  try {
    const { length } = gunzipSync(stream, { maxOutputLength: (inflatedMebibytes + 1) * mebibyte });
    return length === mebibytes * mebibyte ? [] : [`it inflates to ${length} bytes, not to ${mebibytes} MiB`];
  } catch (error) {
    return [`it is not a gzip stream: ${(error as Error).message}`];
  }
}

/** Expensive checks, which run only for wire probes. */
const thoroughChecks: Partial<Record<Mode, Check>> = {
  gzip_bomb: ({ body }, { gzipBombMb }) => bombProblems(Buffer.from(body, 'latin1'), gzipBombMb),
};

const checks: Partial<Record<Mode, Check>> = {
  json: pageCheck('a JSON error with the reason', isJsonError),
  html: pageCheck('an HTML page', (body) => body.startsWith('<!DOCTYPE html>')),
  text: nosniffProblems,
  xml: pageCheck('an XML error with the reason', (body, reason) => body.includes(`<code>${reason}</code>`)),
  redirect: (received, { redirectUrl }) => headerProblems(received, 'location', redirectUrl),
  ratelimit: (received, { retryAfterSeconds }) => [
    ...headerProblems(received, 'retry-after', String(retryAfterSeconds)),
    ...nosniffProblems(received),
  ],
  fake_success: pageCheck('a decoy', (body) => body !== ''),
  captcha: (received, { captcha }) => [
    ...(received.body.includes(`data-sitekey="${captcha?.siteKey}"`)
      ? []
      : ["the page has no widget with the site's key"]),
    ...(headerValue(received, 'content-security-policy') === undefined
      ? ['the page has no Content-Security-Policy']
      : []),
  ],
  gzip_bomb: checkBomb,
  tarpit: ({ body }) =>
    body.replaceAll(tarpitByte, '') === '' ? [] : ['the tarpit sent bytes other than its fill byte'],
};

/** Wire probes wait for bytes of a tarpit only up to this delay. */
const longestDelayMs = 2000;

/** Bytes that suffice to recognize an endless response, in wire probes and in other probes. */
const sufficientByMode: Partial<
  Record<Mode, (response: Response) => { readonly wireProbe: number; readonly other: number }>
> = {
  tarpit: ({ tarpitDelayMs }) => ({ wireProbe: tarpitDelayMs > longestDelayMs ? 0 : 2, other: 0 }),
  infinite_stream: () => ({ wireProbe: 64 * 1024, other: 0 }),
};

/** Returns the body bytes that suffice for the checks. Undefined when the whole body is needed. */
export function sufficientBytes(response: Response, isWireProbe: boolean): number | undefined {
  return sufficientByMode[response.mode]?.(response)[isWireProbe ? 'wireProbe' : 'other'];
}

/**
 * Milliseconds for policies that inspect bodies. On two busy processors, Traefik's interpreter took 15 seconds to
 * inspect several bodies in parallel.
 */
const bodyExtraTimeoutMs = 45_000;

/**
 * Returns milliseconds by which a response may be late. In mode tarpit, wire probes may wait for 2 bytes, and HEAD
 * waits for one delay.
 */
export function extraTimeoutMsOf({ checkBody, response }: Policy): number {
  const delay = response.mode === 'tarpit' ? 2 * response.tarpitDelayMs : 0;
  return checkBody ? delay + bodyExtraTimeoutMs : delay;
}

/** True when the reply is the fallback text at the limit of held requests. */
export function isHoldFallback(reply: Reply, { mode }: Response): boolean {
  if (!modes[mode].holdsRequests || reply.kind !== 'response') return false;
  const { statusCode, contentType } = modes.text;
  const shown = headerValue(reply, referenceHeader);
  const note = shown === undefined ? '' : referenceNotes.text.replace('[[reference]]', shown);
  const page = pages.text.replace('[[status]]', `${statusCode} Forbidden`).replace('[[reference]]', note);
  const isText = headerValue(reply, 'content-type') === contentType && (reply.body === '' || reply.body === page);
  return reply.status === statusCode && isText;
}

function checkBody(received: HttpResponse, response: Response, hasBody: boolean): readonly string[] {
  if (!hasBody) return received.body === '' ? [] : ['the response has an unexpected body'];
  const { contentType = (modes[response.mode] as { contentType?: string }).contentType } = response;
  const type = contentType === undefined ? [] : headerProblems(received, 'content-type', contentType);
  const options: readonly string[] = modes[response.mode].options;
  const isOwn = response.body === undefined || !options.includes('body') || received.body === bytesOf(response.body);
  return [...type, ...(isOwn ? [] : ['the body differs from the policy'])];
}

/** Compares the reference in a reply. @param expected reference in the event */
export function checkReference(reply: Reply, { mode }: Response, expected: string): readonly string[] {
  if (reply.kind !== 'response' || mode === 'proxy') return [];
  const shown = headerValue(reply, referenceHeader);
  const isExpected = modes[mode].showsReference ? shown === expected : shown === undefined;
  const name = modes[mode].showsReference ? JSON.stringify(expected) : 'none';
  return isExpected ? [] : [`${referenceHeader} is ${JSON.stringify(shown ?? null)}, expected ${name}`];
}

const modeHeaders = [
  'cache-control',
  'content-type',
  'x-content-type-options',
  'retry-after',
  'location',
  'content-security-policy',
  'referrer-policy',
];

/** Checks the headers of the policy. Skips names that the response mode also sets. */
function checkHeaders(received: HttpResponse, { headers }: Response): string[] {
  const own = new Set(modeHeaders);
  const rows = Object.entries(headers).filter(([name]) => !own.has(name.toLowerCase()));
  return rows.flatMap(([name, value]) => headerProblems(received, name.toLowerCase(), value.trim()));
}

export interface BlockedRequest {
  readonly method: string;
  readonly reason: string;
  /** True when a fallback response of the mode fails the probe. */
  readonly isWireProbe: boolean;
}

/** Returns the differences from the response settings of the policy. */
export function checkBlocked(reply: Reply, response: Response, request: BlockedRequest): readonly string[] {
  const { method, reason, isWireProbe } = request;
  if (!isWireProbe && isHoldFallback(reply, response)) return [];
  if (response.mode === 'silent_drop') return reply.kind === 'closed' ? [] : ['expected a close without a byte'];
  if (reply.kind === 'closed') return ['the connection closed without a byte'];
  if (reply.kind === 'broken') return [reply.reason];
  const status = statusOf(response);
  if (status !== null && reply.status !== status) return [`status ${reply.status}, expected ${status}`];
  const noStore = headerProblems(reply, 'cache-control', 'no-store');
  if (response.mode === 'proxy') return noStore; // the honeypot determines everything else
  const hasBody = method !== 'HEAD' && !bodilessStatuses.includes(reply.status) && response.mode !== 'redirect';
  const wanted = [checks[response.mode], isWireProbe ? thoroughChecks[response.mode] : undefined];
  const isChecked = hasBody || response.mode === 'redirect';
  const more = isChecked ? wanted.flatMap((check) => check?.(reply, response, reason) ?? []) : [];
  return [...noStore, ...checkHeaders(reply, response), ...checkBody(reply, response, hasBody), ...more];
}
