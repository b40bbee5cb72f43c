/**
 * How Go's net/http reads the target of a request, which Caddy and Traefik start from: `url.ParseRequestURI` of Go 1.26
 * (net/url/url.go), for every method but CONNECT. Strings are bytes in latin1.
 */
import { goHost } from './go-host.ts';

export interface GoTarget {
  /** Host of an absolute form, decoded; empty when the target names none and the Host header counts. */
  readonly host: string;
  /** As sent. Behind a scheme it may lack the leading slash (`URL.Opaque`), or be empty. */
  readonly path: string;
  /** With its question mark; empty when there is none. */
  readonly query: string;
}

/** Space and LF end the target in the request line (`parseRequestLine`); the parser refuses the other controls and DEL. */
const outside = /[\x00-\x20\x7f]/;

/** `getScheme`, then a cut at the first question mark. */
const shape = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([^?]*)(\?.*)?$/;

/** A percent sign that starts no escape: `unescape` fails in a path. In a query and behind a bare scheme nothing is decoded. */
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

/** The parts of a target, or undefined when Go answers 400. */
export function parseTarget(target: string): GoTarget | undefined {
  if (target === '' || outside.test(target)) return undefined;
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
