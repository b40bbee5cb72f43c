/**
 * Returns the key of a header name. Names with equal keys are the same header, because CGI reads dashes as underscores.
 */
export const headerKey = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** Keys of headers that replace the target of the request in some servers and frameworks. */
export const rewriteHeaders = [
  'x-original-url', // IIS, Symfony and Zend
  'x-rewrite-url',
  'x-original-uri', // the authentication requests of ingress-nginx
  'x-override-url',
  'x-forwarded-uri', // forward authentication of Traefik and Caddy
  'x-envoy-original-path',
  'x-http-destinationurl',
];
