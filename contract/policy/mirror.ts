/**
 * What mode proxy does to the headers of a request and of its answer. Names are in lower case; `_` in a name counts as
 * `-`, because CGI joins the two.
 *
 * Lists of stripped headers have a reason for each row. A row is a name, or `proxy-*` for all names that begin so, or
 * `*token*` for all names with a word that begins so: at the start of the name, or after a dash.
 */

/** Taken out of the request: the honeypot must not learn what opens the real site, nor believe a forged way. */
export const requestStripped = {
  '*cookie*': 'sessions of the site, also where a client or a gateway repeats them under another name',
  '*auth*':
    'Authorization, and the headers of gateways and clouds like it (X-Auth-Token, Cf-Access-Authenticated-User)',
  '*bearer*': 'credentials of APIs',
  '*token*':
    'tokens of APIs, of sessions and against forged requests (X-Csrf-Token, X-Amz-Security-Token, Private-Token)',
  '*key*': 'keys of APIs (X-Api-Key, Ocp-Apim-Subscription-Key)',
  '*apikey*': 'keys of APIs, written as one word',
  '*apitoken*': 'tokens of APIs, written as one word',
  '*accesskey*': 'keys of APIs and storage, written as one word',
  '*secret*': 'secrets of clients and of origins (Cf-Access-Client-Secret)',
  '*passw*': 'passwords',
  '*otp*': 'one-time passwords (X-GitHub-OTP)',
  '*credential*': 'credentials',
  '*session*': 'sessions (X-Session-Id)',
  '*csrf*': 'tokens against forged requests',
  '*xsrf*': 'tokens against forged requests',
  '*requestverificationtoken*': 'tokens against forged requests of ASP.NET',
  '*crumb*': 'tokens against forged requests of Jenkins',
  '*nonce*': 'tokens against forged requests of WordPress',
  '*jwt*': 'signed identities (Cf-Access-Jwt-Assertion, X-Goog-Iap-Jwt-Assertion)',
  '*assertion*': 'signed identities',
  '*identity*': 'identities that a gateway has checked',
  '*signature*': 'signed requests and webhooks (RFC 9421, X-Hub-Signature-256)',
  '*hmac*': 'signed webhooks',
  '*cert*': 'certificates of clients (RFC 9440, X-Ssl-Client-Cert)',
  dpop: 'proofs of OAuth (RFC 9449)',
  'x-wsse': 'digests of passwords',
  'x-jfrog-art-api': 'keys of Artifactory',
  'x-honeycomb-team': 'keys of Honeycomb',
  'x-userinfo': 'claims that a gateway has checked',
  'x-amz*': 'signatures, keys and identities of AWS',
  'x-goog-*': 'keys and identities of Google Cloud',
  'x-ms-*': 'tokens, keys and identities of Azure',
  'x-azure-*': 'the id by which a site trusts Azure Front Door, and addresses',
  'x-arr-*': 'certificates and routes of Azure App Service',
  'x-appengine-*': 'what a site trusts from App Engine',
  'x-origin-*': 'secrets between a CDN and its origin (X-Origin-Verify)',
  'cf-*': 'credentials and addresses of Cloudflare',
  'fastly-*': 'credentials and addresses of Fastly',
  'akamai-*': 'signatures and addresses of Akamai',
  'x-akamai-*': 'signatures and addresses of Akamai',
  'oidc-*': 'claims and tokens of OpenID Connect',
  'remote-*': 'users that a gateway has checked',
  'x-remote-*': 'users that a gateway has checked',
  'x-webauth-*': 'users that a gateway has checked',
  'x-pomerium-*': 'users that a gateway has checked',
  'tailscale-*': 'users that a gateway has checked',
  'ssl-*': 'certificates of clients',
  'x-ssl-*': 'certificates of clients',
  'proxy-*': 'credentials for a proxy',
  'x-forwarded-*': 'the way as the client states it; the guard sets its own',
  forwarded: 'the way as the client states it (RFC 7239)',
  via: 'the way as the client states it',
  'cdn-loop': 'the way as the client states it (RFC 8586)',
  'x-real-ip': 'an address as the client states it',
  'true-client-ip': 'an address as the client states it',
  'client-ip': 'an address as the client states it',
  'x-client-ip': 'an address as the client states it',
  'x-cluster-client-ip': 'an address as the client states it',
  'x-original-forwarded-for': 'an address as the client states it',
  'x-envoy-*': 'addresses and orders of Envoy',
  expect: 'the guard sends the body at once',
} as const;

/** Taken out of the answer: what acts on a proxy or on a browser for the site that the honeypot answers for. */
export const answerStripped = {
  'x-accel-*': 'orders to an nginx in front: it sends any internal location (X-Accel-Redirect), or caches',
  'x-sendfile*': 'orders to a server in front: it sends any file',
  'x-lighttpd-*': 'orders to a lighttpd in front: it sends any file',
  'x-litespeed-*': 'orders to a LiteSpeed in front: it sends any location, or caches',
  'x-reproxy-*': 'orders to a Perlbal in front: it sends any file or URL',
  'x-envoy-*': 'orders to an Envoy in front: it takes the site for unhealthy',
  'x-appengine-*': 'orders to App Engine in front: it sends any blob',
  'proxy-*': 'orders to a proxy in front',
  'cdn-cache-control': 'orders to a cache in front: it would keep the answer in spite of no-store (RFC 9213)',
  'cloudflare-cdn-cache-control': 'as cdn-cache-control',
  'netlify-cdn-cache-control': 'as cdn-cache-control',
  'vercel-cdn-cache-control': 'as cdn-cache-control',
  'surrogate-*': 'orders to a cache in front',
  'edge-*': 'orders to a cache of Akamai in front',
  'cache-tag': 'names under which a cache in front is emptied',
  link: 'a CDN in front repeats it to later visitors (103), and a browser loads what it names',
  'set-cookie*': 'cookies of the site',
  'set-login': 'a browser keeps for the site that its user is logged in',
  'secure-session-*': 'a browser registers a session for the site',
  'sec-session-*': 'a browser registers a session for the site',
  'strict-transport-security': 'a browser keeps it for the site',
  'public-key-pins*': 'a browser keeps it for the site',
  'expect-ct': 'a browser keeps it for the site',
  'clear-site-data': 'a browser deletes the data of the site',
  'alt-svc': 'a browser sends later requests for the site elsewhere',
  'accept-ch*': 'a browser adds headers to later requests to the site',
  'critical-ch': 'a browser repeats the request with further headers',
  'use-as-dictionary': 'a browser reads later answers of the site with it',
  'origin-agent-cluster': 'a browser isolates later pages of the site by it',
  'service-worker-*': 'a script of one path would control the whole site',
  'speculation-rules': 'a browser loads further pages in advance',
  'shared-storage-write': 'a browser stores data for the site',
  'attribution-reporting-*': 'a browser stores and sends reports for the site',
  'observe-browsing-topics': 'a browser keeps the visit in a profile of its user',
  'access-control-*': 'other sites could read the answer with the credentials of the visitor',
  'timing-allow-origin': 'other sites could read times of the site',
  'cross-origin-*': 'a browser reports and isolates pages of the site by it',
  nel: 'a browser reports later visits of the site to an address of the honeypot',
  'report-to': 'as nel',
  'reporting-endpoints': 'as nel',
  refresh: 'a browser leaves the page without a click',
  'content-security-policy*': 'it could report to the honeypot; the guard sets its own',
  'x-content-security-policy*': 'an old name of content-security-policy',
  'x-webkit-csp*': 'an old name of content-security-policy',
} as const;

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
