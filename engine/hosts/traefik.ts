/**
 * Host model of Traefik 3.7.10 with the defaults of an entry point: what a guard in it receives for a raw request target,
 * and what its reverse proxy sends on. Traefik cleans the target before any middleware runs (pkg/server/
 * server_entrypoint_tcp.go: `normalizePath`, `sanitizePath`), and the guard reads the cleaned `r.RequestURI`. For every
 * method but CONNECT, and OPTIONS with `*`, which Go answers by itself; behind a router for every path.
 */
import { type GoServer, readRequest } from './go-server.ts';
import { brokenEscape, parseTarget, requestUri } from './go-target.ts';
import { asSent, type Receives, refused, withoutHost } from './received.ts';

const server: GoServer = {
  /** The HTTP/2 of Go 1.26 and quic-go 0.59. */
  strictness: { isPathOnly: false, refusesUser: (version) => version === '2' },
  /** The default of net/http. */
  headLimit: 1024 * 1024,
  aheadBytes: 0,
};

const unreserved = /[A-Za-z0-9\-._~]/;

/** Escapes of unreserved characters are undone, the others are written in upper case. */
function normalized(path: string): string {
  return path.replace(/%([0-9A-Fa-f]{2})/g, (code, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return unreserved.test(character) ? character : code.toUpperCase();
  });
}

/** `URL.JoinPath` without elements: lexical cleaning that keeps a final slash, but not a final dot segment. */
function cleaned(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}${path.endsWith('/') && kept.length > 0 ? '/' : ''}`;
}

/** The path of a target, as `URL.RequestURI` gives it after all cleaning. One without a leading slash stays unchanged. */
function pathOf(path: string): string {
  const sent = requestUri({ host: '', path, query: '' });
  return sent.startsWith('/') ? cleaned(normalized(sent)) : sent;
}

const queryKept = /[A-Za-z0-9\-_.~]/;

/** `url.QueryUnescape`; undefined: it has a broken escape. */
function queryUnescaped(text: string): string | undefined {
  if (brokenEscape.test(text)) return undefined;
  const spaced = text.replaceAll('+', ' ');
  return spaced.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** `url.QueryEscape`. */
function queryEscaped(text: string): string {
  return Array.from(text, (byte) => {
    const code = byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
    return byte === ' ' ? '+' : queryKept.test(byte) ? byte : `%${code}`;
  }).join('');
}

/** `url.ParseQuery` and `Values.Encode`: pairs that Go can read, by key. */
function reencoded(query: string): string {
  const pairs = query.split('&').flatMap((pair) => {
    const at = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const [key, value] = [queryUnescaped(pair.slice(0, at)), queryUnescaped(pair.slice(at + 1))];
    return pair === '' || key === undefined || value === undefined ? [] : [{ key, value }];
  });
  pairs.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return pairs.map(({ key, value }) => `${queryEscaped(key)}=${queryEscaped(value)}`).join('&');
}

/**
 * The query that is sent on. That of a target which the proxy's own parser refuses (pkg/proxy/httputil/proxy.go), as it does
 * without a leading slash or another scheme, is what Go's ReverseProxy makes of it (`cleanQueryParams`).
 */
function sentQuery(received: string, query: string): string {
  const split = query.replaceAll(';', '&');
  if (!brokenEscape.test(split)) return split;
  const again = { ...asSent({ target: received + query }), version: '2' } as const; // the parser takes spaces
  if (parseTarget(again, server.strictness)) return split;
  const clean = reencoded(split.slice(1));
  return clean === '' ? '' : `?${clean}`;
}

/** Headers that Traefik removes where the peer is not trusted (`forwardedHeaders`). */
const ofProxies = /^x-forwarded-/i;

export const receives: Receives = (request) => {
  const read = readRequest(request, server);
  if (read.kind !== 'read') return read;
  const { path, query, requestHost: host } = read;
  if (path === '*') return refused(404); // no rule of a router matches it
  if (path.startsWith('/') && path.includes('#')) return refused(400);
  const received = pathOf(path);
  const isKept = ([name]: readonly [string, string]) => request.isPeerTrusted !== false || !ofProxies.test(name);
  const headers = withoutHost(request).filter(isKept);
  return { kind: 'passed', target: received + query, backend: received + sentQuery(received, query), host, headers };
};

/**
 * Whether a request header of this name reaches the guard and the backend. All do where the entry point trusts the peer
 * (`forwardedHeaders`); of other peers Traefik removes the X-Forwarded headers.
 */
export function receivesHeader(_name: string): boolean {
  return true;
}
