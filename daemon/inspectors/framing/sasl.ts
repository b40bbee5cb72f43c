/** Reads the user from SASL mechanisms that send the name in clear text, and decides what a response proves. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { copyStart } from './events.ts';
import { type FingerprintContext, fingerprintOf } from './fingerprint.ts';

/** Decodes base64 to a byte string. Skips invalid characters, and truncates long texts. */
const decode = (text: string): string =>
  Buffer.from(text.slice(0, 4 * daemonBounds.factBytes), 'base64').toString('latin1');

/** `authzid NUL authcid NUL passwd` (RFC 4616 2). */
const fromPlain = (message: string): string | undefined => message.split('\0')[1];

/** The digest follows the last space (RFC 2195 2). */
const fromCramMd5 = (message: string): string => message.slice(0, Math.max(0, message.lastIndexOf(' ')));

/** `n,,n=user,r=nonce` (RFC 5802 7). `=2C` is a comma in a name. */
const fromScram = (message: string): string | undefined =>
  /(?:^|,)n=([^,]*),r=/.exec(message)?.[1]?.replace(/=2C/gi, ',').replace(/=3D/gi, '=');

/** `username="user",realm=...` (RFC 2831 2.1.2). */
const fromDigestMd5 = (message: string): string | undefined => /(?:^|,)username="([^"]*)"/.exec(message)?.[1];

/** `n,a=user,^Aauth=Bearer ...` (RFC 7628 3.1), or `user=...^A` of XOAUTH2. */
const fromBearer = (message: string): string | undefined =>
  (/(?:^|,)a=([^,]*),/.exec(message) ?? /^user=([^\x01]*)\x01/.exec(message))?.[1];

const bearer = /^(?:OAUTHBEARER|XOAUTH2)$/;

const mechanisms: readonly (readonly [name: RegExp, user: (message: string) => string | undefined])[] = [
  [/^PLAIN$/, fromPlain],
  [/^LOGIN$/, (message) => message],
  [/^CRAM-MD5$/, fromCramMd5],
  [/^SCRAM-/, fromScram],
  [/^DIGEST-MD5$/, fromDigestMd5],
  [bearer, fromBearer],
];

/** The user in the first response of a client, which is base64. Undefined when no user can be read. */
export function saslUser(mechanism: string, response: string): string | undefined {
  const row = mechanisms.find(([name]) => name.test(mechanism));
  const user = row?.[1](decode(response));
  return user === undefined ? undefined : copyStart(user);
}

/**
 * Mechanisms without a password: tokens, tickets and certificates. Their refusals do not count, because expired ones are
 * refused too.
 */
const passwordless =
  /^(?:OAUTHBEARER|XOAUTH2|OAUTH10A|GSSAPI|GS2-.*|KERBEROS_V\d|EXTERNAL|ANONYMOUS|MONGODB-(?:X509|OIDC|AWS))$/;

export const isPasswordless = (mechanism = ''): boolean => passwordless.test(mechanism);

/** Mechanisms whose responses contain the password itself. Those of others depend on a challenge. */
const visibleMechanisms: ReadonlySet<string> = new Set(['PLAIN', 'LOGIN']);

/** The beginning of a fingerprint, to which each response is added. */
export const saslFingerprint = (context: FingerprintContext, mechanism: string): string | undefined =>
  visibleMechanisms.has(mechanism) ? fingerprintOf(context, mechanism) : undefined;

/** Mechanisms that can contain NTLM. Its third message proves a password (MS-NLMP 2.2.1.3). */
const ntlmMechanisms: ReadonlySet<string> = new Set(['NTLM', 'GSS-SPNEGO']);
export const provesNtlm = (response: string): boolean => Buffer.from(response, 'base64').includes('NTLMSSP\0\x03');

/** Whether the response of a client, which is base64, proves a password. `*` cancels the login (RFC 4422 3.5). */
export function provesPassword(mechanism: string, response: string): boolean {
  if (ntlmMechanisms.has(mechanism)) return provesNtlm(response);
  return response !== '*' && !isPasswordless(mechanism);
}
