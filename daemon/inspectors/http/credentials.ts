/** Logins of HTTP: who a request says it is, and whether a refusal is one. */
import type { Headers } from '../../../contract/engine/index.ts';
import { valuesOf } from './head.ts';

export interface Credentials {
  readonly user: string | undefined;
}

const fromBasic = (text: string): string => Buffer.from(text, 'base64').toString('latin1').replace(/:.*$/s, '');

const isBearer = /^bearer(?: |$)/i;

/**
 * The first credentials of a request. A bearer token is none: one that has expired is refused like a forged one, often in
 * many requests at once, and nobody guesses tokens.
 */
export function credentialsOf(headers: Headers): Credentials | undefined {
  const values = [...valuesOf(headers, 'authorization'), ...valuesOf(headers, 'proxy-authorization')];
  const value = values.find((one) => !isBearer.test(one)); // a password may stand behind a token
  if (value === undefined) return undefined;
  const [scheme = '', rest = ''] = value.split(/ +/, 2);
  if (scheme.toLowerCase() === 'basic') return { user: fromBasic(rest) };
  return { user: /\busername="([^"]*)"/.exec(value)?.[1] };
}

/** A challenge that goes on: the second step of NTLM and Negotiate, or a nonce of Digest that had become old. */
export const isNextStep = (challenge: string): boolean =>
  /^(?:NTLM|Negotiate) +[^ ]/i.test(challenge) || /\bstale="?true/i.test(challenge);
