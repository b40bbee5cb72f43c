/** What each response mode must put on the wire: one row a mode. */
import { gunzipSync } from 'node:zlib';
import { bodilessStatuses, type Mode, modes } from '../../contract/policy/modes.ts';
import { pages, tarpitByte } from '../../contract/policy/pages.ts';
import type { Response } from '../../contract/policy/schema.ts';
import { type Answer, header, type Reply } from './answer.ts';

/** What is wrong with the answer to a blocked request, one clause each. */
type Check = (answer: Answer, response: Response, reason: string) => readonly string[];

const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

function expectHeader(answer: Answer, name: string, expected: string): string[] {
  const value = header(answer, name);
  return value === bytes(expected)
    ? []
    : [`${name} is ${JSON.stringify(value ?? null)}, expected ${JSON.stringify(expected)}`];
}

const nosniff = (answer: Answer): string[] => expectHeader(answer, 'x-content-type-options', 'nosniff');

/** Checks of a page that the mode wrote itself: a body of the policy's own is compared as a whole. */
const ownPage =
  (what: string, holds: (body: string, reason: string) => boolean): Check =>
  ({ body }, response, reason) =>
    response.body !== undefined || holds(body, reason) ? [] : [`the body is no ${what}`];

function isJsonError(body: string, reason: string): boolean {
  try {
    return (JSON.parse(body) as { error?: { code?: unknown } }).error?.code === reason;
  } catch {
    return false;
  }
}

const mebibyte = 1024 * 1024;
/** Larger ones are believed by the size that their end names: this program shall not be what they explode. */
const inflatedMebibytes = 64;

function checkBomb(answer: Answer, { gzipBombMb }: Response): string[] {
  const stream = Buffer.from(answer.body, 'latin1');
  const isRight = stream.length > 4 && stream.readUInt32LE(stream.length - 4) === gzipBombMb * mebibyte;
  const size = isRight ? [] : [`the gzip stream does not end as one of ${gzipBombMb} MiB`];
  return [...expectHeader(answer, 'content-encoding', 'gzip'), ...size];
}

/** That a gzip bomb really inflates to its size. */
function explode(stream: Buffer, mebibytes: number): string[] {
  if (mebibytes > inflatedMebibytes) return [];
  try {
    const { length } = gunzipSync(stream, { maxOutputLength: (inflatedMebibytes + 1) * mebibyte });
    return length === mebibytes * mebibyte ? [] : [`it inflates to ${length} bytes, not to ${mebibytes} MiB`];
  } catch (error) {
    return [`it is no gzip stream: ${(error as Error).message}`];
  }
}

/** Checks that take long: made once in a suite, not for each of its requests. */
const thoroughChecks: Partial<Record<Mode, Check>> = {
  gzip_bomb: ({ body }, { gzipBombMb }) => explode(Buffer.from(body, 'latin1'), gzipBombMb),
};

const checks: Partial<Record<Mode, Check>> = {
  json: ownPage('JSON error with the reason', isJsonError),
  html: ownPage('HTML page', (body) => body.startsWith('<!DOCTYPE html>')),
  text: nosniff,
  xml: ownPage('XML error with the reason', (body, reason) => body.includes(`<code>${reason}</code>`)),
  redirect: (answer, { redirectUrl }) => expectHeader(answer, 'location', redirectUrl),
  ratelimit: (answer, { retryAfterSeconds }) => [
    ...expectHeader(answer, 'retry-after', String(retryAfterSeconds)),
    ...nosniff(answer),
  ],
  fake_success: ownPage('decoy', (body) => body !== ''),
  captcha: (answer, { captcha }) => [
    ...(answer.body.includes(`data-sitekey="${captcha?.siteKey}"`)
      ? []
      : ["the page has no widget with the site's key"]),
    ...(header(answer, 'content-security-policy') === undefined ? ['the page has no Content-Security-Policy'] : []),
  ],
  gzip_bomb: checkBomb,
  tarpit: ({ body }) =>
    body.replaceAll(tarpitByte, '') === '' ? [] : ['a tarpit sends nothing but its byte, again and again'],
};

/** A tarpit this slow is not waited for. */
const longestDelayMs = 2000;

/** How many bytes of an answer show what it is, where it would go on for long: in a probe of the mode, and elsewhere. */
const sufficient: Partial<Record<Mode, (response: Response) => { readonly scene: number; readonly other: number }>> = {
  tarpit: ({ tarpitDelayMs }) => ({ scene: tarpitDelayMs > longestDelayMs ? 0 : 2, other: 0 }),
  infinite_stream: () => ({ scene: 64 * 1024, other: 0 }),
};

/** Bytes of the body that are as good as all of them; undefined: the whole body is wanted. */
export function sufficientBytes(response: Response, isScene: boolean): number | undefined {
  return sufficient[response.mode]?.(response)[isScene ? 'scene' : 'other'];
}

/** Milliseconds by which an answer of this mode comes later than others: HEAD waits for one delay. */
export function slownessOf({ mode, tarpitDelayMs }: Response): number {
  return mode === 'tarpit' ? 2 * tarpitDelayMs : 0;
}

/** Whether a mode that holds requests answered as text, because it held as many as it may. */
export function isPastCeiling(reply: Reply, { mode }: Response): boolean {
  if (!modes[mode].holds || reply.kind !== 'answer') return false;
  const { statusCode, contentType } = modes.text;
  const page = pages.text.replace('[[status]]', `${statusCode} Forbidden`);
  const isText = header(reply, 'content-type') === contentType && (reply.body === '' || reply.body === page);
  return reply.status === statusCode && isText;
}

/** The status of a blocked answer; null where the mode sends none of its own. */
export function blockedStatus({ mode, statusCode }: Response): number | null {
  return modes[mode].statusCode === null ? null : (statusCode ?? modes[mode].statusCode);
}

function checkBody(answer: Answer, response: Response, hasBody: boolean): readonly string[] {
  if (!hasBody) return answer.body === '' ? [] : ['there is a body where none belongs'];
  const { contentType = (modes[response.mode] as { contentType?: string }).contentType } = response;
  const type = contentType === undefined ? [] : expectHeader(answer, 'content-type', contentType);
  const options: readonly string[] = modes[response.mode].options;
  const isOwn = response.body === undefined || !options.includes('body') || answer.body === bytes(response.body);
  return [...type, ...(isOwn ? [] : ['the body is not the one of the policy'])];
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

/** Headers of the policy, except where the mode itself has the say. */
function checkHeaders(answer: Answer, { headers }: Response): string[] {
  const own = new Set(modeHeaders);
  const rows = Object.entries(headers).filter(([name]) => !own.has(name.toLowerCase()));
  return rows.flatMap(([name, value]) => expectHeader(answer, name.toLowerCase(), value.trim()));
}

export interface BlockedRequest {
  readonly method: string;
  /** Reason code of the verdict. */
  readonly reason: string;
  /** Whether it shows the mode itself: then nothing else will do. */
  readonly isScene: boolean;
}

/** What is wrong with the reply to a blocked request; nothing when it is as the policy's response says. */
export function checkBlocked(reply: Reply, response: Response, request: BlockedRequest): readonly string[] {
  const { method, reason, isScene } = request;
  if (!isScene && isPastCeiling(reply, response)) return [];
  if (response.mode === 'silent_drop') return reply.kind === 'closed' ? [] : ['expected a close without a byte'];
  if (reply.kind === 'closed') return ['the connection closed without a byte'];
  if (reply.kind === 'broken') return [reply.reason];
  const status = blockedStatus(response);
  if (status !== null && reply.status !== status) return [`status ${reply.status}, expected ${status}`];
  const noStore = expectHeader(reply, 'cache-control', 'no-store');
  if (response.mode === 'proxy') return noStore; // the rest is its target's
  const hasBody = method !== 'HEAD' && !bodilessStatuses.includes(reply.status) && response.mode !== 'redirect';
  const wanted = [checks[response.mode], isScene ? thoroughChecks[response.mode] : undefined];
  const isChecked = hasBody || response.mode === 'redirect';
  const more = isChecked ? wanted.flatMap((check) => check?.(reply, response, reason) ?? []) : [];
  return [...noStore, ...checkHeaders(reply, response), ...checkBody(reply, response, hasBody), ...more];
}
