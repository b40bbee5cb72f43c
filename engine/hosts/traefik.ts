/**
 * Host model of Traefik 3.7.10 with the defaults of an entry point and a router for every path. Traefik cleans the
 * target before any middleware runs (pkg/server/server_entrypoint_tcp.go). The model excludes CONNECT over HTTP/2 and
 * HTTP/3, and `OPTIONS *`, to which Go responds.
 */
import { percentEscape } from '../bytes.ts';
import { type GoServer, readRequest } from './go-server.ts';
import { brokenEscape, parseTarget, requestUri } from './go-target.ts';
import {
  asksForUpgrade,
  asSent,
  type HostModel,
  isMultiplexed,
  linesOf,
  type Receives,
  refusal,
  unescaped,
  withoutHost,
} from './received.ts';

const server: GoServer = {
  /** Traefik 3.7.10 uses the HTTP/2 of Go 1.26 and quic-go 0.59, which make fewer checks. */
  strictness: { isPathOnly: false, refusesUser: (version) => version === '2' },
  /** The default of net/http. */
  headLimit: 1024 * 1024,
  aheadBytes: 0,
};

const unreservedByte = /[A-Za-z0-9\-._~]/;

/** Decodes escapes of unreserved characters and writes the other escapes in upper case. */
function normalizeEscapes(path: string): string {
  return path.replace(/%([0-9A-Fa-f]{2})/g, (code, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return unreservedByte.test(character) ? character : code.toUpperCase();
  });
}

/** Cleans a path like `URL.JoinPath` without elements. Keeps a final slash, but not a final dot segment. */
function cleanPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}${path.endsWith('/') && kept.length > 0 ? '/' : ''}`;
}

/** Returns the cleaned path of a target, as in `URL.RequestURI`. A path without a leading slash stays unchanged. */
function pathOf(path: string): string {
  const sent = requestUri({ host: '', path, query: '' });
  return sent.startsWith('/') ? cleanPath(normalizeEscapes(sent)) : sent;
}

const queryKept = /[A-Za-z0-9\-_.~]/;

/** Decodes like `url.QueryUnescape`. Returns undefined when an escape is incomplete. */
function queryUnescaped(text: string): string | undefined {
  if (brokenEscape.test(text)) return undefined;
  return unescaped(text.replaceAll('+', ' '));
}

/** Encodes like `url.QueryEscape`. */
function queryEscaped(text: string): string {
  return Array.from(text, (byte) => (byte === ' ' ? '+' : queryKept.test(byte) ? byte : percentEscape(byte))).join('');
}

/** Encodes a query like `url.ParseQuery` and `Values.Encode`: the pairs that Go can read, sorted by key. */
function reencodeQuery(query: string): string {
  const pairs = query.split('&').flatMap((pair) => {
    const at = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const [key, value] = [queryUnescaped(pair.slice(0, at)), queryUnescaped(pair.slice(at + 1))];
    return pair === '' || key === undefined || value === undefined ? [] : [{ key, value }];
  });
  pairs.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return pairs.map(({ key, value }) => `${queryEscaped(key)}=${queryEscaped(value)}`).join('&');
}

/**
 * Returns the query that Traefik sends. If Traefik's proxy cannot parse the target again, Go's ReverseProxy cleans the
 * query (`cleanQueryParams`).
 */
function sentQuery(received: string, query: string): string {
  const split = query.replaceAll(';', '&');
  if (!brokenEscape.test(split)) return split;
  // Version 2, because `parseTarget` accepts spaces in a target only there, and Traefik's proxy always accepts them.
  const again = { ...asSent({ target: received + query }), version: '2' } as const;
  if (parseTarget(again, server.strictness)) return split;
  const clean = reencodeQuery(split.slice(1));
  return clean === '' ? '' : `?${clean}`;
}

/** Headers that Traefik removes when it does not trust the peer (`forwardedHeaders`). */
const proxyHeader = /^x-forwarded-/i;

/** Headers that Connection cannot remove (`XHeadersSet`). */
const managedHeader =
  /^x[-_](?:real[-_]ip|forwarded[-_](?:proto|for|host|port|server|uri|method|prefix|tls[-_]client[-_]cert(?:[-_]info)?))$/i;

/**
 * Returns the headers that the entry point keeps (`removeConnectionHeaders`): none that Connection names, and of an upgrade
 * only the first line.
 */
function withoutNamed(headers: ReturnType<typeof withoutHost>): ReturnType<typeof withoutHost> {
  const options = linesOf(headers, 'connection').flatMap((line) => line.split(','));
  const named = new Set(['connection', ...options.map((option) => option.trim().toLowerCase())]);
  const kept = headers.filter(([name]) => managedHeader.test(name) || !named.has(name.toLowerCase()));
  const [protocol = ''] = asksForUpgrade(headers) ? linesOf(headers, 'upgrade') : [];
  return protocol === '' ? kept : [...kept, ['Connection', 'Upgrade'], ['Upgrade', protocol]];
}

export const receives: Receives = (request) => {
  const read = readRequest(request, server);
  if (read.kind !== 'read') return read;
  const { path, query, requestHost: host } = read;
  if (request.method === 'CONNECT' && !isMultiplexed(request)) return refusal(501); // also without a guard
  if (path === '*') return refusal(404); // no router has a rule for it
  if (path.startsWith('/') && path.includes('#')) return refusal(400);
  const received = pathOf(path);
  const isKept = ([name]: readonly [string, string]) => request.isPeerTrusted !== false || !proxyHeader.test(name);
  const headers = withoutNamed(withoutHost(request)).filter(isKept);
  return { kind: 'passed', target: received + query, backend: received + sentQuery(received, query), host, headers };
};

/** Traefik sends what its entry point keeps. */
export const sentUpgrade: HostModel['sentUpgrade'] = (headers) =>
  asksForUpgrade(headers) ? (linesOf(headers, 'upgrade')[0] ?? '') : '';

/** Returns true: a trusted peer may send any header. Traefik removes the X-Forwarded headers of other peers. */
export function receivesHeader(_name: string): boolean {
  return true;
}
