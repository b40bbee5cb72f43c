/**
 * What mode proxy does to the headers of a request and of its answer. Names are in lower case; `_` in a name counts as
 * `-`, because CGI joins the two.
 *
 * Lists of stripped headers are in stripped-headers.json, with a reason for each row. A row is a name, or `proxy-*` for all names
 * that begin so, or `*token*` for all names with a word that begins so: at the start of the name, or after a dash.
 */
import stripped from './stripped-headers.json' with { type: 'json' };

/** Taken out of the request: the honeypot must not learn what opens the real site, nor believe a forged way. */
export const requestStripped: Readonly<Record<string, string>> = stripped.request;

/** Taken out of the answer: what acts on a proxy or on a browser for the site that the honeypot answers for. */
export const answerStripped: Readonly<Record<string, string>> = stripped.answer;

export const mirror = {
  /** Belong to one connection (RFC 9110 7.6.1): taken out both ways, with every header that Connection names. */
  hopByHop: ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  requestStripped: Object.keys(requestStripped),
  answerStripped: Object.keys(answerStripped),
  /** Of every answer: no script of a honeypot runs with the origin of the site. The policy's headers may override it. */
  contentSecurityPolicy: 'sandbox',
  /** Address of the client. */
  forwardedFor: 'x-forwarded-for',
  /** Host that the client asked for. */
  forwardedHost: 'x-forwarded-host',
  /** http or https, as the client came. */
  forwardedProto: 'x-forwarded-proto',
  /** Reason code of the verdict. */
  reason: 'x-guard-reason',
  /** Marks a request that a guard has mirrored; one that carries it is not mirrored again. */
  loopMark: 'x-guard-proxied',
  loopMarkValue: '1',
  /** Status when a mirrored request comes back to be mirrored (RFC 5842 7.2). */
  loopStatus: 508,
  /** Status when the target cannot be reached or does not answer in HTTP. */
  deadStatus: 502,
  /** Status when the target has sent no head when the time is over. */
  slowStatus: 504,
} as const;
