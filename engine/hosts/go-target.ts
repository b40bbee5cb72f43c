/** Parses a target like Go's net/http (`url.ParseRequestURI` of Go 1.26), for every method except CONNECT. */
import { percentEscape } from '../bytes.ts';
import { goHost, isHostHeader } from './go-host.ts';
import { type HttpVersion, hostsOf, isMultiplexed, type SentRequest, unescaped } from './received.ts';

export interface GoTarget {
  /** Decoded host of an absolute form. Empty when the target has no host; the Host header counts then. */
  readonly host: string;
  /** The path as sent. After a scheme it can lack the leading slash (`URL.Opaque`) or be empty. */
  readonly path: string;
  /** The query with its question mark, or the empty string. */
  readonly query: string;
}

/** Returns `Request.Host`, or undefined when Go refuses the request. */
export function requestHost(request: SentRequest, { host }: GoTarget, { refusesUser }: Strictness): string | undefined {
  const { version } = request;
  const hosts = hostsOf(request);
  const [first = ''] = hosts;
  if ((refusesUser(version) && first.includes('@')) || (version === '3' && first === '')) return undefined;
  if (isMultiplexed(request)) return hosts.length > 1 || (version === '2' && !isHostHeader(first)) ? undefined : first;
  const isMissing = hosts.length === 0 && request.version === '1.1';
  return isMissing || hosts.length > 1 || !isHostHeader(first) ? undefined : host || first;
}

/**
 * Bytes that cannot occur in a target: space and LF end it (`parseRequestLine`), and the parser refuses the other
 * controls and DEL.
 */
const invalidTargetByte = /[\x00-\x20\x7f]/;

/** Splits a target like `getScheme`, then at the first question mark. */
const targetParts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([^?]*)(\?.*)?$/;

/** A percent sign that does not start an escape. Go's `unescape` fails on it in a path; Go does not decode a query. */
export const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

/** Control characters. HTTP/2 and HTTP/3 allow a space in a path. */
const invalidPathByte = /[\x00-\x1f\x7f]/;

/**
 * Checks that only some releases make: golang.org/x/net since 0.58 (`NewServerRequest`) and quic-go since 0.60
 * (`requestFromHeaders`).
 */
export interface Strictness {
  readonly isPathOnly: boolean;
  readonly refusesUser: (version: HttpVersion) => boolean;
}

/** HTTP/2 accepts `*`; a strict HTTP/3 accepts it only for OPTIONS. */
const isPath = ({ target, version }: SentRequest): boolean =>
  target === '*' ? version === '2' : target.startsWith('/');

/** Returns the parts of a target, or undefined when Go refuses it. */
export function parseTarget(request: SentRequest, { isPathOnly }: Strictness): GoTarget | undefined {
  const { target } = request;
  if (target === '' || (isMultiplexed(request) ? invalidPathByte : invalidTargetByte).test(target)) return undefined;
  if (isMultiplexed(request) && isPathOnly && !isPath(request)) return undefined;
  if (target === '*') return { host: '', path: '*', query: '' };
  const [, scheme, rest = '', query = ''] = targetParts.exec(target) ?? [];
  if (!rest.startsWith('/')) return scheme === undefined ? undefined : { host: '', path: rest, query };
  const hasAuthority = scheme !== undefined && rest.startsWith('//');
  const authorityEnd = hasAuthority ? rest.indexOf('/', 2) : 0;
  const path = authorityEnd < 0 ? '' : rest.slice(authorityEnd);
  if (brokenEscape.test(path)) return undefined;
  const host = hasAuthority ? goHost(scheme, rest.slice(2, rest.length - path.length)) : '';
  return host === undefined ? undefined : { host, path, query };
}

/** Go sends a path that consists of these bytes unchanged (`validEncoded`). */
const unchangedPath = /^[A-Za-z0-9\-._~%!$&'()*+,;=:@/[\]]*$/;
/** Bytes that `escape` leaves unchanged in a path. */
const unescapedByte = /[A-Za-z0-9\-._~$&+,/:;=@]/;

function escapedPath(path: string): string {
  if (path === '*' || unchangedPath.test(path)) return path;
  return Array.from(unescaped(path), (byte) => (unescapedByte.test(byte) ? byte : percentEscape(byte))).join('');
}

/** Returns the target that Go's client writes (`URL.RequestURI`). */
export function requestUri({ path, query }: GoTarget): string {
  const isRootless = !path.startsWith('/');
  return (path === '' ? '/' : isRootless ? path : escapedPath(path)) + query;
}
