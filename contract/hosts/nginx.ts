/**
 * Host model of nginx 1.22.1 with the configuration that `generate nginx` prints: what a guard in it receives for a raw
 * request target, and what `proxy_pass` without a path sends on. The guard reads `$request_uri`, which is the target as
 * sent but for the scheme and host of an absolute form; nginx decodes and resolves a separate copy, and refuses what it
 * cannot. Headers of more than 32 KiB are not modeled: their fate depends on where each one ends.
 */
import type { Received, Receives } from './received.ts';

/** One of `large_client_header_buffers 4 32k`: it has to hold the request line. */
const lineBytes = 32 * 1024;
const lineRest = '  HTTP/1.1\r\n'.length;

const refused = (status: number): Received => ({ kind: 'refused', status });

/** What the parser of request lines lets through behind the first slash, or behind the host of an absolute form. */
const spaceOrControl = /[\x00-\x20\x7f]/;

/** `ngx_http_parse_request_line`: scheme, host, port. A name holds letters, digits, dots and dashes. */
const absolute =
  /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([A-Za-z0-9.-]*|\[[A-Za-z0-9:\-._~!$&'()*+,;=]*\])(?::[0-9]*)?(?=[/?]|$)/;

/** `ngx_http_validate_host`: not empty but for a final dot, no two dots in a row. */
const isHost = (host: string): boolean => !/^\.?$|\.\./.test(host);

interface Line {
  /** `$request_uri`. */
  readonly target: string;
  /** An absolute form may have a query and no path: nginx then rewrites the target. */
  readonly isPathless: boolean;
}

/** What ends the line early, with 400: a control, or a space with more behind it. */
const isBroken = (text: string): boolean =>
  spaceOrControl.test(text) || (!text.startsWith('/') && !absolute.test(text));

/** The target of a request line that is not broken; undefined when its host is none. */
function parse(text: string): Line | undefined {
  if (text.startsWith('/')) return { target: text, isPathless: false };
  const [prefix = '', , host = ''] = absolute.exec(text) ?? [];
  const rest = text.slice(prefix.length);
  return isHost(host) ? { target: rest === '' ? '/' : rest, isPathless: rest.startsWith('?') } : undefined;
}

const unescaped = (path: string): string =>
  path.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** `ngx_http_parse_complex_uri`: escapes are whole and none is NUL, and no dots lead above the root. */
function isResolvable(path: string): boolean {
  if (/%(?![0-9A-Fa-f]{2})|%00/.test(path)) return false;
  let depth = 0;
  for (const segment of unescaped(path).split('/')) {
    if (segment === '..') depth -= 1;
    else if (segment !== '' && segment !== '.') depth += 1;
    if (depth < 0) return false;
  }
  return true;
}

/** What `ngx_http_parse_request_line` takes for a method. */
const methodName = /^[A-Z_-]+$/;
/** Methods that `ngx_http_process_request_header` refuses once the head is whole. */
const refusedMethods = ['CONNECT', 'TRACE'];

/** What `proxy_pass` writes: the target unchanged, or a path and the query up to `#` where it had no path. */
function backendOf({ target, isPathless }: Line): string {
  return isPathless ? `/${target.replace(/#.*$/, '').replace(/^\?$/, '')}` : target;
}

export const receives: Receives = (target, _restBytes, method = 'GET') => {
  const readable = target.slice(0, lineBytes - method.length - 1);
  const text = readable.replace(/^ +| +$/g, '');
  if (!methodName.test(method) || isBroken(text)) return refused(400);
  if (method.length + target.length + lineRest > lineBytes) return refused(414);
  const line = parse(text);
  const [path = ''] = line?.target.split(/[?#]/, 1) ?? [];
  if (!line || !isResolvable(path)) return refused(400);
  if (refusedMethods.includes(method)) return refused(405);
  return { kind: 'passed', target: line.target, backend: backendOf(line) };
};

/** Whether a request header of this name reaches the guard and the backend: nginx drops names with any other byte. */
export function receivesHeader(name: string): boolean {
  return /^[A-Za-z0-9-]+$/.test(name);
}
