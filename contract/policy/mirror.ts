/**
 * The header changes of mode proxy. Names are in lower case; `_` counts as `-`, as in CGI. A key in
 * stripped-headers.json is a name, a prefix of names such as `proxy-*`, or a prefix of a word in a name such as
 * `*token*`.
 */
import stripped from './stripped-headers.json' with { type: 'json' };

/**
 * Headers removed from the request. The honeypot must not receive credentials of the real site, nor trust forged proxy
 * headers.
 */
export const requestStripped: Readonly<Record<string, string>> = stripped.request;

/** Headers removed from the response, because they would affect a proxy or a browser for the real site. */
export const answerStripped: Readonly<Record<string, string>> = stripped.answer;

export const mirror = {
  /** Headers of one connection (RFC 9110 7.6.1). They are removed with every header that Connection names. */
  hopByHop: ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  requestStripped: Object.keys(requestStripped),
  answerStripped: Object.keys(answerStripped),
  /**
   * Set in every response, so that scripts of the honeypot do not run with the origin of the site. The policy's headers
   * may override it.
   */
  contentSecurityPolicy: 'sandbox',
  forwardedFor: 'x-forwarded-for',
  /** Header with the host that the client requested. */
  forwardedHost: 'x-forwarded-host',
  /** Header with the client's scheme, http or https. */
  forwardedProto: 'x-forwarded-proto',
  reason: 'x-guard-reason',
  /** Header that marks a mirrored request. A request that has it is not mirrored again. */
  loopMark: 'x-guard-proxied',
  loopMarkValue: '1',
  /** Status for a mirrored request that a guard would mirror again (RFC 5842 7.2). */
  loopStatus: 508,
  /** Status when the target is unreachable or does not respond with HTTP. */
  deadStatus: 502,
  /** Status when the target has not sent a response head in time. */
  slowStatus: 504,
} as const;
