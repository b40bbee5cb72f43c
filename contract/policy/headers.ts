/** Names of headers, as every part of the suite compares and recommends them. */

/** Returns what equal names have in common. CGI does not distinguish underscores from dashes, so the guard does not either. */
export const headerKey = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** Keys of the headers whose value some servers and frameworks serve in place of the target. */
export const rewriteHeaders = [
  'x-original-url', // IIS, Symfony and Zend
  'x-rewrite-url',
  'x-original-uri', // the authentication requests of ingress-nginx
  'x-override-url',
  'x-forwarded-uri', // forward authentication of Traefik and Caddy
  'x-envoy-original-path',
  'x-http-destinationurl',
];
