/** What each response mode must put on the wire: one row a mode. */
import { bodilessStatuses, type Mode, modes } from '../../contract/modes.ts';
import type { Response } from '../../contract/policy.ts';
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
};

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

/** Headers of the policy, except where the mode itself has the say. */
function checkHeaders(answer: Answer, { headers }: Response): string[] {
  const own = new Set(['cache-control', 'content-type', 'x-content-type-options', 'retry-after', 'location']);
  const rows = Object.entries(headers).filter(([name]) => !own.has(name.toLowerCase()));
  return rows.flatMap(([name, value]) => expectHeader(answer, name.toLowerCase(), value.trim()));
}

/** What is wrong with the reply to a blocked request; nothing when it is as the policy's response says. */
export function checkBlocked(reply: Reply, response: Response, reason: string, method: string): readonly string[] {
  if (response.mode === 'silent_drop') return reply.kind === 'closed' ? [] : ['expected a close without a byte'];
  if (reply.kind === 'closed') return ['the connection closed without a byte'];
  if (reply.kind === 'broken') return [reply.reason];
  const status = blockedStatus(response);
  if (status !== null && reply.status !== status) return [`status ${reply.status}, expected ${status}`];
  const hasBody = method !== 'HEAD' && !bodilessStatuses.includes(reply.status) && response.mode !== 'redirect';
  const more = hasBody || response.mode === 'redirect' ? (checks[response.mode]?.(reply, response, reason) ?? []) : [];
  return [
    ...expectHeader(reply, 'cache-control', 'no-store'),
    ...checkHeaders(reply, response),
    ...checkBody(reply, response, hasBody),
    ...more,
  ];
}
