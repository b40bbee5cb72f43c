/** What mode proxy does to the headers of a request and of its answer. Names are in lower case. */
export const mirror = {
  /** Belong to one connection (RFC 9110 7.6.1): taken out both ways, with every header that Connection names. */
  hopByHop: ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  /** Taken out of the request: keys of the real site, and what a client says about the way it came. */
  requestStripped: ['cookie', 'authorization', 'forwarded', 'via', 'x-real-ip', 'expect'],
  /** Every request header that begins so is taken out. */
  requestStrippedPrefixes: ['proxy-', 'x-forwarded-'],
  /** Taken out of the answer: what would outlive it in a browser, for the site that the honeypot answers for. */
  answerStripped: ['set-cookie', 'set-cookie2', 'strict-transport-security', 'clear-site-data', 'alt-svc'],
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
