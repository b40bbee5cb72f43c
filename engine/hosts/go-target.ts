/**
 * How Go's net/http reads the target of a request, which Caddy and Traefik start from: `url.ParseRequestURI` of Go 1.26
 * (net/url/url.go), for every method but CONNECT. Strings are bytes in latin1.
 */
import { goHost, isHostHeader } from './go-host.ts';
import { type HttpVersion, hostsOf, isMultiplexed, type SentRequest } from './received.ts';

export interface GoTarget {
  /** Host of an absolute form, decoded; empty when the target names none and the Host header counts. */
  readonly host: string;
  /** As sent. Behind a scheme it may lack the leading slash (`URL.Opaque`), or be empty. */
  readonly path: string;
  /** With its question mark; empty when there is none. */
  readonly query: string;
}

/** `Request.Host`; undefined when Go refuses the request. */
export function requestHost(request: SentRequest, { host }: GoTarget, { refusesUser }: Strictness): string | undefined {
  const { version } = request;
  const hosts = hostsOf(request);
  const [first = ''] = hosts;
  if ((refusesUser(version) && first.includes('@')) || (version === '3' && first === '')) return undefined;
  if (isMultiplexed(request)) return hosts.length > 1 || (version === '2' && !isHostHeader(first)) ? undefined : first;
  const isMissing = hosts.length === 0 && request.version === '1.1';
  return isMissing || hosts.length > 1 || !isHostHeader(first) ? undefined : host || first;
}

/** Space and LF end the target in the request line (`parseRequestLine`); the parser refuses the other controls and DEL. */
const outside = /[\x00-\x20\x7f]/;

/** `getScheme`, then a cut at the first question mark. */
const shape = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([^?]*)(\?.*)?$/;

/** A percent sign that starts no escape: `unescape` fails in a path. In a query and behind a bare scheme nothing is decoded. */
export const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

/** Controls. A space is a byte of a path in HTTP/2 and HTTP/3. */
const outsidePath = /[\x00-\x1f\x7f]/;

/**
 * How strict HTTP/2 and HTTP/3 are: golang.org/x/net since 0.58 (`NewServerRequest` in httpcommon) and quic-go since 0.60
 * (`requestFromHeaders`) accept paths only, and no user information in `:authority`.
 */
export interface Strictness {
  readonly isPathOnly: boolean;
  readonly refusesUser: (version: HttpVersion) => boolean;
}

/** `*` is accepted by HTTP/2, and by a strict HTTP/3 for OPTIONS only. */
const isPath = ({ target, version }: SentRequest): boolean =>
  target === '*' ? version === '2' : target.startsWith('/');

/** The parts of a target, or undefined when Go refuses it. */
export function parseTarget(request: SentRequest, { isPathOnly }: Strictness): GoTarget | undefined {
  const { target } = request;
  if (target === '' || (isMultiplexed(request) ? outsidePath : outside).test(target)) return undefined;
  if (isMultiplexed(request) && isPathOnly && !isPath(request)) return undefined;
  if (target === '*') return { host: '', path: '*', query: '' };
  const [, scheme, rest = '', query = ''] = shape.exec(target) ?? [];
  if (!rest.startsWith('/')) return scheme === undefined ? undefined : { host: '', path: rest, query };
  const hasAuthority = scheme !== undefined && rest.startsWith('//');
  const authorityEnd = hasAuthority ? rest.indexOf('/', 2) : 0;
  const path = authorityEnd < 0 ? '' : rest.slice(authorityEnd);
  if (brokenEscape.test(path)) return undefined;
  const host = hasAuthority ? goHost(scheme, rest.slice(2, rest.length - path.length)) : '';
  return host === undefined ? undefined : { host, path, query };
}

/** `validEncoded`: a path of these bytes alone goes out as it came. */
const keptAsSent = /^[A-Za-z0-9\-._~%!$&'()*+,;=:@/[\]]*$/;
/** Bytes that `escape` leaves unchanged in a path. */
const unescaped = /[A-Za-z0-9\-._~$&+,/:;=@]/;

function escapedPath(path: string): string {
  if (path === '*' || keptAsSent.test(path)) return path;
  const decoded = path.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Array.from(decoded, (byte) => (unescaped.test(byte) ? byte : percent(byte))).join('');
}

function percent(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** `URL.RequestURI`, the target that Go's client writes: the path as received, or encoded again when it held other bytes. */
export function requestUri({ path, query }: GoTarget): string {
  const isRootless = !path.startsWith('/');
  return (path === '' ? '/' : isRootless ? path : escapedPath(path)) + query;
}
