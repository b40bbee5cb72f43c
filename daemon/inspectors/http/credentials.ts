/** HTTP logins: reads the user of a request, and decides whether a refusal is a failed login. */
import { copyStart } from '../framing/events.ts';
import { type FingerprintContext, fingerprintOf } from '../framing/fingerprint.ts';
import { provesNtlm } from '../framing/sasl.ts';
import { type RequestHead, valuesOf } from './head.ts';

export interface Credentials {
  readonly user: string | undefined;
  /** Equal for equal credentials for the same host. A connection keeps it instead of the credentials. */
  readonly fingerprint: string | undefined;
  /** Whether the credentials contain the password. Those of other schemes can depend on a challenge. */
  readonly hasPassword: boolean;
}

const fromBasic = (text: string): string => Buffer.from(text, 'base64').toString('latin1').replace(/:.*$/s, '');

const bearerForm = /^bearer(?: |$)/i;
const ntlmForm = /^(?:ntlm|negotiate)(?: +(.*))?$/i;

/**
 * Whether the credentials prove a password. Bearer tokens and the tickets of Kerberos do not: expired ones are refused
 * too, and they cannot be guessed. Neither does the first message of NTLM.
 */
function provesPassword(credentials: string): boolean {
  const ntlm = ntlmForm.exec(credentials);
  return ntlm ? provesNtlm(ntlm[1] ?? '') : !bearerForm.test(credentials);
}

/** The first credentials of a request that prove a password. */
export function credentialsOf(
  { headers, host }: Pick<RequestHead, 'headers' | 'host'>,
  context: FingerprintContext,
): Credentials | undefined {
  const forHost = valuesOf(headers, 'authorization');
  const values = [...forHost, ...valuesOf(headers, 'proxy-authorization')];
  const value = values.find(provesPassword); // a request can have a token and then a password
  if (value === undefined) return undefined;
  const [scheme = '', rest = ''] = value.split(/ +/, 2);
  const hasPassword = scheme.toLowerCase() === 'basic';
  const user = hasPassword ? fromBasic(rest) : /\busername="([^"]*)"/.exec(value)?.[1];
  const judge = forHost.length > 0 ? host : ''; // a proxy checks its password for every host
  return {
    user: user === undefined ? undefined : copyStart(user),
    fingerprint: fingerprintOf(context, judge, ...values),
    hasPassword,
  };
}

/** Whether a challenge continues a login: the second step of NTLM and Negotiate, or a stale Digest nonce. */
export const isNextStep = (challenge: string): boolean =>
  /^(?:NTLM|Negotiate) +[^ ]/i.test(challenge) || /\bstale="?true/i.test(challenge);
