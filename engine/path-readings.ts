/**
 * Readings of a path by servers that take a part of it for something else. Values of queries and bodies have none of
 * them.
 */
import { resolveDots } from './forms.ts';

/**
 * Puts a slash in front of a path without one: Go's proxies pass `GET http:internal/a` on as `GET internal/a`, for which
 * servers of Python return `/internal/a`, and Symfony adds the slash to a path in a header.
 */
const rooted = (path: string) => (/^(?:\/|\*?$)/.test(path) ? path : `/${path}`);

/** find-my-way, the router of restify and Fastify, ends the path at the first `;`: what follows is the query. */
const withoutParameters = (path: string) => path.replace(/;.*/s, '');

/**
 * Removes the authority of a network-path reference (RFC 3986 4.2): PHP's `parse_url`, JDK's HttpServer and `new URL` of
 * Node read `//x:80/internal/a` as `/internal/a`. `new URL` ignores further slashes in front of the authority.
 */
const withoutAuthority = (path: string) => path.replace(/^\/{2,}[^/]*(?:\/|$)/, '/');

/** A session that ASP.NET keeps in a path: `/(S(x))/internal/a` is `/internal/a`. Mono and ASP.NET 1 write 24 characters. */
const session = /\/\((?:(?:[AFS]\([^()/]*\))+|[a-z0-9]{24})\)(?=\/)/gi;
const withoutSessions = (path: string) => path.replace(session, '');

/** Extensions of scripts, which servers run for `/a.php/x` too. Files with other extensions are not found there. */
export const scripts = 'php[3-8]?|phar|phtml|shtml|f?cgi|pl|py|rb|cf[cm]|as[hm]x|aspx?';

/** A script that serves all paths of a site. Other scripts do not count, because `/less.php/` can be a folder. */
const frontController = new RegExp(
  `/(?:index|app|app_dev|main|default|dispatch|front|server)\\.(?:${scripts})(?=/)`,
  'i',
);

/** Returns the path info of the first front controller, which reads `/index.php/internal/a` as `/internal/a`. */
function pathInfo(path: string): string {
  const script = frontController.exec(path);
  return script ? path.slice(script.index + script[0].length) : path;
}

/** Removes the first front controller: applications below `/app` read `/app/index.php/internal/a` as `/app/internal/a`. */
const withoutController = (path: string) => path.replace(frontController, '');

/** Proxies such as Envoy resolve dot segments and keep empty ones: `/.//x/internal/a` reaches the server as `//x/internal/a`. */
function withoutResolvedAuthority(path: string): string {
  const resolved = resolveDots(path);
  return resolved.startsWith('//') ? withoutAuthority(resolved) : path;
}

const steps = [
  rooted,
  withoutParameters,
  withoutAuthority,
  withoutResolvedAuthority,
  withoutSessions,
  withoutController,
  pathInfo,
];

/** Whether a path without `;`, `\` and `//` can have other readings. */
export const isRouted = (path: string) => rooted(path) !== path || path.includes('/(') || frontController.test(path);

/** Returns the readings of a path with slashes only, by each combination of the steps that changes it. */
export function pathReadings(path: string): string[] {
  const readings = [path];
  for (const step of steps)
    for (const reading of [...readings]) {
      const next = step(reading);
      if (next !== reading) readings.push(next);
    }
  return readings.slice(1);
}
