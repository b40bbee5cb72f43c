/** Methods of almost all requests, including the requests of scanners. */
export const usualMethods = ['GET', 'HEAD', 'POST'];

/** Methods whose request body has no meaning (RFC 9110 9.3). */
export const bodilessMethods = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

/** IANA's registry of methods except PRI, which only begins HTTP/2. In addition PURGE, which caches use. */
export const knownMethods = [
  ...new Set([...usualMethods, ...bodilessMethods]),
  ...['PUT', 'PATCH', 'QUERY', 'PURGE'],
  ...['ACL', 'BASELINE-CONTROL', 'BIND', 'CHECKIN', 'CHECKOUT', 'COPY', 'LABEL', 'LINK', 'LOCK', 'MERGE', 'MKACTIVITY'],
  ...['MKCALENDAR', 'MKCOL', 'MKREDIRECTREF', 'MKWORKSPACE', 'MOVE', 'ORDERPATCH', 'PROPFIND', 'PROPPATCH', 'REBIND'],
  ...['REPORT', 'SEARCH', 'UNBIND', 'UNCHECKOUT', 'UNLINK', 'UNLOCK', 'UPDATE', 'UPDATEREDIRECTREF', 'VERSION-CONTROL'],
];
