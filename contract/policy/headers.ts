/**
 * Returns the key of a header name. Names with equal keys are the same header, because CGI reads dashes as underscores.
 */
export const headerKey = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** A target of custom rules: a header, matched verbatim. */
export type HeaderTarget = `header:${string}`;

/** Returns whether a target of a rule is a header. */
export const isHeaderTarget = (target: string): target is HeaderTarget => target.startsWith('header:');

/** Returns the header targets of rules, each once, as they appear in verdicts. */
export const headerTargets = (rules: readonly { readonly targets: readonly string[] }[]): readonly HeaderTarget[] => [
  ...new Set(rules.flatMap(({ targets }) => targets.map(headerKey).filter(isHeaderTarget))),
];

/** Returns the name of the header of a target. */
export const headerNameOf = (target: HeaderTarget): string => target.slice('header:'.length);

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
