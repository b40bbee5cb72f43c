/** A visitor with the cookies, forms and Host headers of a browser. */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { captchaNames } from '../../../contract/policy/captcha.ts';
import type { Policy } from '../../../contract/policy/schema.ts';

export interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  /** The cookie that the response sets, as `name=value`. */
  readonly cookie: string | undefined;
  readonly allow: string | undefined;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

interface Sent {
  readonly method?: string;
  readonly host?: string;
  readonly cookie?: string;
  /** Client address, which is sent as X-Forwarded-For. */
  readonly address?: string;
  readonly form?: Readonly<Record<string, string>>;
}

/** Sends a request. Does not follow redirects. */
export async function ask(port: number, path: string, sent: Sent = {}): Promise<Answer> {
  const body = sent.form && new URLSearchParams(sent.form).toString();
  const outgoing = request({
    ...{ host: '127.0.0.1', port, path, agent: false, method: sent.method ?? (body === undefined ? 'GET' : 'POST') },
    headers: {
      Host: sent.host ?? `localhost:${port}`,
      ...(sent.cookie === undefined ? {} : { Cookie: sent.cookie }),
      ...(sent.address === undefined ? {} : { 'X-Forwarded-For': sent.address }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
    },
  });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const { location, allow, 'retry-after': retryAfter, 'set-cookie': cookies } = answer.headers;
  const cookie = cookies?.[0]?.split(';')[0];
  return { status: answer.statusCode ?? 0, location, cookie, allow, retryAfter, body: await text(answer) };
}

export function stateOf({ status, body }: Answer): string {
  const [, state] = /name="state" value="([^"]*)"/.exec(body) ?? [];
  if (state === undefined) throw new Error(`no challenge: ${status} ${body}`);
  return state;
}

export const answerPage = (port: number, page: Answer, token: string, sent: Sent = {}): Promise<Answer> =>
  ask(port, captchaNames.path, { ...sent, form: { state: stateOf(page), 'cf-turnstile-response': token } });

/** Encodes a rule as the guard does in states and passes. */
export const signedRule = (id: string, pattern: string): string =>
  `${id} ${createHash('sha256').update(pattern).digest('hex')}`;

type Captcha = NonNullable<Policy['response']['captcha']>;

/** Returns the key with which the guard signs for a policy. */
function keyOf(secret: string, captcha: Captcha): Buffer {
  const { provider, siteKey, passMinutes, verifyUrl = '', hostnames, action = '', minScorePercent = 0 } = captcha;
  const conditions = [provider, siteKey, passMinutes, verifyUrl, hostnames.join(), action, minScorePercent];
  return createHmac('sha256', secret).update(captchaNames.policyLabel).update(conditions.join('\0')).digest();
}

interface PassFields {
  readonly captcha: Captcha;
  readonly expiry: number;
  readonly network: string;
  readonly host: string;
  readonly rule: string;
}

/** Signs a pass with values of the test. */
export function signedPass(secret: string, { captcha, expiry, network, host, rule }: PassFields): string {
  const mac = createHmac('sha256', keyOf(secret, captcha))
    .update(captchaNames.passLabel)
    .update([expiry, network, host, rule].join('\n'));
  return `${expiry}.${mac.digest('base64url')}`;
}
