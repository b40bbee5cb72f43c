/**
 * The header changes of mode proxy. Names are in lower case; `_` counts as `-`, as in CGI. A row of
 * stripped-headers.json is a name; `proxy-*` for a prefix of names; or `*token*` for a prefix of words.
 */
import stripped from './stripped-headers.json' with { type: 'json' };

/** The honeypot must not receive credentials of the real site, nor trust forged proxy headers. */
export const requestStripped: Readonly<Record<string, string>> = stripped.request;

/** These would affect a proxy or a browser for the real site. */
export const answerStripped: Readonly<Record<string, string>> = stripped.answer;

export const mirror = {
  /** Headers of one connection (RFC 9110 7.6.1), removed with every header that Connection names. */
  hopByHop: ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  requestStripped: Object.keys(requestStripped),
  answerStripped: Object.keys(answerStripped),
  /** Scripts of the honeypot do not run with the origin of the site. The policy's headers may override it. */
  contentSecurityPolicy: 'sandbox',
  forwardedFor: 'x-forwarded-for',
  /** The requested host. */
  forwardedHost: 'x-forwarded-host',
  /** http or https. */
  forwardedProto: 'x-forwarded-proto',
  reason: 'x-guard-reason',
  /** A request with this mark is not mirrored again. */
  loopMark: 'x-guard-proxied',
  loopMarkValue: '1',
  /** RFC 5842 7.2. */
  loopStatus: 508,
  /** The target is unreachable or does not respond with HTTP. */
  deadStatus: 502,
  /** The target has not sent a response head in time. */
  slowStatus: 504,
} as const;
