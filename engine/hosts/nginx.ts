/**
 * Host model of nginx with the configuration that `generate nginx` prints: what a guard in it receives for a request,
 * and what `proxy_pass` without a path sends on. The guard reads `$request_uri`, which is the target as
 * sent but for the scheme and host of an absolute form; nginx decodes and resolves a separate copy, and refuses what it
 * cannot. Headers of more than 32 KiB are not modeled: their fate depends on where each one ends.
 */
import { hostName } from '../host-name.ts';
import {
  type HostModel,
  hostsOf,
  isMultiplexed,
  lineBytes,
  type Received,
  type Receives,
  refused,
  reset,
  type SentRequest,
  withoutHost,
} from './received.ts';

/** One of `large_client_header_buffers 4 32k`: it has to hold the request line. */
const bufferBytes = 32 * 1024;

/** What the parser of request lines lets through behind the first slash, or behind the host of an absolute form. */
const spaceOrControl = /[\x00-\x20\x7f]/;

/** `ngx_http_parse_request_line`: scheme, host, port. A name holds letters, digits, dots and dashes. */
const absolute =
  /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([A-Za-z0-9.-]*|\[[A-Za-z0-9:\-._~!$&'()*+,;=]*\])(?::[0-9]*)?(?=[/?]|$)/;

/** What differs between releases; the names are those of Debian's packages. */
interface Release {
  /** Bytes of a Host header. */
  readonly isHost: (host: string) => boolean;
  /** Bytes of a path over HTTP/2 for which the stream is reset. */
  readonly resetting: RegExp;
}

/** `ngx_http_validate_host`: not empty but for a port or a final dot, no two dots in a row, no slash or control. */
function isHost(host: string): boolean {
  const [name = ''] = /^\[[^\]]*\]/.exec(host) ?? host.split(':', 1);
  return !/^\.?$/.test(name) && !/\.\.|[\x00-\x20\x7f/]/.test(host);
}

/** Since 1.29: a name or an IPv6 literal of the characters of RFC 3986, and a port. */
const strictHost = /^(?:[A-Za-z0-9\-._~!$%&'()*+,;=]+|\[[A-Za-z0-9\-._~!$&'()*+,;=:]*\])(?::(\d*))?$/;

function isStrictHost(host: string): boolean {
  const [whole, port = ''] = strictHost.exec(host) ?? [];
  return whole !== undefined && Number(port) < 65_536 && isHost(host);
}

const releases = {
  '1.22': { isHost, resetting: /[\0\r\n]/ },
  '1.26': { isHost, resetting: /[^\s\S]/ },
  '1.30': { isHost: isStrictHost, resetting: /[^\s\S]/ },
} as const satisfies Record<string, Release>;

export type NginxRelease = keyof typeof releases;

/** The Host header: one, except where HTTP/1.0 needs none. */
function hostOf(request: SentRequest, release: Release): string | undefined {
  const hosts = hostsOf(request);
  const [host] = hosts;
  if (host === undefined) return request.version === '1.0' ? '' : undefined;
  return hosts.length === 1 && release.isHost(host) ? host : undefined;
}

interface Line {
  /** Of an absolute form: its authority. */
  readonly host?: string;
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
  const authority = prefix.slice(prefix.indexOf('://') + 3);
  return isHost(host)
    ? { host: authority, target: rest === '' ? '/' : rest, isPathless: rest.startsWith('?') }
    : undefined;
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

function parseHttp1(request: SentRequest): Line | number {
  const { method, target } = request;
  const readable = target.slice(0, bufferBytes - method.length - 1);
  const text = readable.replace(/^ +| +$/g, '');
  if (!methodName.test(method) || isBroken(text)) return 400;
  if (lineBytes(request) > bufferBytes) return 414;
  return parse(text) ?? 400;
}

/** HTTP/2 and HTTP/3 have a path only, verbatim. Method and host come before it. */
function parseMultiplexed(request: SentRequest, release: Release): Line | number {
  const { method, target, version } = request;
  if (!methodName.test(method) || hostOf(request, release) === undefined) return 400;
  if (version === '2' && release.resetting.test(target)) return reset;
  if (!target.startsWith('/') || isBroken(target)) return 400;
  return { target, isPathless: false };
}

/**
 * The host of an absolute target is `$host`, the header `$http_host`, and a backend may get either. Where they differ, the
 * guard reads both: nginx refuses a header with a space, so this is the host of no other request, and not a name.
 */
function hostForGuard({ host: absolute }: Line, sent: string): string {
  if (absolute === undefined) return sent;
  const name = hostName(absolute);
  const isSame = absolute === sent || (name !== '' && name === hostName(sent));
  return isSame ? absolute : `${absolute} ${sent}`;
}

function receive(request: SentRequest, release: Release): Received {
  const line = isMultiplexed(request) ? parseMultiplexed(request, release) : parseHttp1(request);
  if (typeof line !== 'object') return refused(line);
  const [path = ''] = line.target.split(/[?#]/, 1);
  const host = hostOf(request, release);
  if (!isResolvable(path) || host === undefined) return refused(400);
  if (refusedMethods.includes(request.method)) return refused(405);
  const headers = withoutHost(request).filter(([name]) => receivesHeader(name));
  return { kind: 'passed', target: line.target, backend: backendOf(line), host: hostForGuard(line, host), headers };
}

/** The release of the sandbox. */
export const receives: Receives = (request) => receive(request, releases['1.22']);

/** Whether a request header of this name reaches the guard and the backend: nginx drops names with any other byte. */
export function receivesHeader(name: string): boolean {
  return /^[A-Za-z0-9-]+$/.test(name);
}

export const modelOf = (release: NginxRelease): HostModel => ({
  receives: (request) => receive(request, releases[release]),
  receivesHeader,
});
