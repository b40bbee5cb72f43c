/** Who logs in, from what SASL mechanisms send in clear. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

/** Bytes of base64 as a byte string; what is no base64 is skipped, and long texts are cut. */
const decode = (text: string): string =>
  Buffer.from(text.slice(0, 4 * daemonBounds.factBytes), 'base64').toString('latin1');

/** `authzid NUL authcid NUL passwd` (RFC 4616 2). */
const fromPlain = (message: string): string | undefined => message.split('\0')[1];

/** The digest stands behind the last space (RFC 2195 2). */
const fromCramMd5 = (message: string): string => message.slice(0, Math.max(0, message.lastIndexOf(' ')));

/** `n,,n=user,r=nonce` (RFC 5802 7); a comma in a name is `=2C`. */
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

/** The user that the first response of a client names (base64), if the mechanism shows one. */
export function saslUser(mechanism: string, response: string): string | undefined {
  const row = mechanisms.find(([name]) => name.test(mechanism));
  return row?.[1](decode(response));
}

/** Whether a mechanism sends a token instead of a password: one that has expired is refused, too, and nobody guesses one. */
export const sendsToken = (mechanism = ''): boolean => bearer.test(mechanism);
