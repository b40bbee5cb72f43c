/**
 * Host model of nginx with the configuration of `generate nginx`. The guard reads `$request_uri`: the target as sent,
 * without the scheme and host of an absolute form. The model excludes headers of more than 32 KiB, because their result
 * depends on where each header ends.
 */
import { hostName } from '../host-name.ts';
import {
  type HostModel,
  hostsOf,
  isMultiplexed,
  lineBytes,
  linesOf,
  type Received,
  type Receives,
  refusal,
  resetStatus,
  type SentRequest,
  unescaped,
  withoutHost,
} from './received.ts';

/** Size of one buffer of `large_client_header_buffers 4 32k`. The request line must fit in one. */
const bufferBytes = 32 * 1024;

/** Bytes that nginx refuses inside of a target. It ignores spaces before and after the target. */
const spaceOrControl = /[\x00-\x20\x7f]/;

/** Scheme, host and port as in `ngx_http_parse_request_line`. A host name has letters, digits, dots and dashes. */
const absoluteTarget =
  /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([A-Za-z0-9.-]*|\[[A-Za-z0-9:\-._~!$&'()*+,;=]*\])(?::[0-9]*)?(?=[/?]|$)/;

/** Differences between nginx releases. */
interface Release {
  /** True when nginx accepts a Host header. */
  readonly isHost: (host: string) => boolean;
  /** Bytes in a path of HTTP/2 that make nginx reset the stream. */
  readonly resetting: RegExp;
  /** True when a variable of a header has all its lines. */
  readonly joinsLines: boolean;
}

/** Checks a host like `ngx_http_validate_host`. */
function isHost(host: string): boolean {
  const [name = ''] = /^\[[^\]]*\]/.exec(host) ?? host.split(':', 1);
  return !/^\.?$/.test(name) && !/\.\.|[\x00-\x20\x7f/]/.test(host);
}

/** A host that nginx 1.29 and later accept: a name or an IPv6 literal with the characters of RFC 3986, and a port. */
const strictHost = /^(?:[A-Za-z0-9\-._~!$%&'()*+,;=]+|\[[A-Za-z0-9\-._~!$&'()*+,;=:]*\])(?::(\d*))?$/;

function isStrictHost(host: string): boolean {
  const [whole, port = ''] = strictHost.exec(host) ?? [];
  return whole !== undefined && Number(port) < 65_536 && isHost(host);
}

/** The keys are the versions in Debian's packages. `[^\s\S]` matches nothing: these releases reset no stream. */
const releases = {
  '1.22': { isHost, resetting: /[\0\r\n]/, joinsLines: false },
  '1.26': { isHost, resetting: /[^\s\S]/, joinsLines: true },
  '1.30': { isHost: isStrictHost, resetting: /[^\s\S]/, joinsLines: true },
} as const satisfies Record<string, Release>;

export type NginxRelease = keyof typeof releases;

/** Returns the Host header, or undefined when nginx refuses it. There must be exactly one; HTTP/1.0 needs none. */
function hostOf(request: SentRequest, release: Release): string | undefined {
  const hosts = hostsOf(request);
  const [host] = hosts;
  if (host === undefined) return request.version === '1.0' ? '' : undefined;
  return hosts.length === 1 && release.isHost(host) ? host : undefined;
}

interface Line {
  /** The authority of an absolute form. */
  readonly host?: string;
  /** `$request_uri`. */
  readonly target: string;
  /** True for an absolute form that has no path, only a query. nginx rewrites such a target. */
  readonly isPathless: boolean;
}

/** True when nginx responds 400 to the request line. */
const isMalformedTarget = (text: string): boolean =>
  spaceOrControl.test(text) || (!text.startsWith('/') && !absoluteTarget.test(text));

/** Parses the target of a valid request line. Returns undefined when the host is invalid. */
function parseTarget(text: string): Line | undefined {
  if (text.startsWith('/')) return { target: text, isPathless: false };
  const [prefix = '', , host = ''] = absoluteTarget.exec(text) ?? [];
  const rest = text.slice(prefix.length);
  const authority = prefix.slice(prefix.indexOf('://') + 3);
  return isHost(host)
    ? { host: authority, target: rest === '' ? '/' : rest, isPathless: rest.startsWith('?') }
    : undefined;
}

/**
 * Checks a path like `ngx_http_parse_complex_uri`: every escape is complete, no escape is a NUL, and no dot segment
 * leads above the root.
 */
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

/** A method that `ngx_http_parse_request_line` accepts. */
const methodName = /^[A-Z_-]+$/;
/** Methods that `ngx_http_process_request_header` refuses after it has read the whole head. */
const refusedMethods = ['CONNECT', 'TRACE'];

/** Returns the target that `proxy_pass` writes. Without a path, it is `/` and the query up to `#`. */
function backendOf({ target, isPathless }: Line): string {
  return isPathless ? `/${target.replace(/#.*$/, '').replace(/^\?$/, '')}` : target;
}

function parseHttp1(request: SentRequest): Line | number {
  const { method, target } = request;
  const readable = target.slice(0, bufferBytes - method.length - 1);
  const text = readable.replace(/^ +| +$/g, '');
  if (!methodName.test(method) || isMalformedTarget(text)) return 400;
  if (lineBytes(request) > bufferBytes) return 414;
  return parseTarget(text) ?? 400;
}

/** Parses HTTP/2 and HTTP/3. nginx checks method and host before the path. */
function parseMultiplexed(request: SentRequest, release: Release): Line | number {
  const { method, target, version } = request;
  if (!methodName.test(method) || hostOf(request, release) === undefined) return 400;
  if (version === '2' && release.resetting.test(target)) return resetStatus;
  if (!target.startsWith('/') || isMalformedTarget(target)) return 400;
  return { target, isPathless: false };
}

/**
 * Returns the host for the guard. A backend can get `$host` of an absolute target or `$http_host`. Where they differ,
 * the guard reads both, joined with a space. The result is not a host name, so no exception with hosts applies.
 */
function hostForGuard({ host: absolute }: Line, sent: string): string {
  if (absolute === undefined) return sent;
  const name = hostName(absolute);
  const isSame = absolute === sent || (name !== '' && name === hostName(sent));
  return isSame ? absolute : `${absolute} ${sent}`;
}

function receive(request: SentRequest, release: Release): Received {
  const line = isMultiplexed(request) ? parseMultiplexed(request, release) : parseHttp1(request);
  if (typeof line !== 'object') return refusal(line);
  const [path = ''] = line.target.split(/[?#]/, 1);
  const host = hostOf(request, release);
  if (!isResolvable(path) || host === undefined) return refusal(400);
  if (refusedMethods.includes(request.method)) return refusal(405);
  const headers = withoutHost(request).filter(([name]) => receivesHeader(name));
  return { kind: 'passed', target: line.target, backend: backendOf(line), host: hostForGuard(line, host), headers };
}

/** The model of the release in the sandbox. */
export const receives: Receives = (request) => receive(request, releases['1.22']);

/** True when a request header of this name reaches the guard and the backend. nginx drops all other names. */
export function receivesHeader(name: string): boolean {
  return /^[A-Za-z0-9-]+$/.test(name);
}

/** nginx before 1.23 sends the first line. Later versions join the lines. */
const sentUpgradeOf =
  ({ joinsLines }: Release): HostModel['sentUpgrade'] =>
  (headers) => {
    const lines = linesOf(headers, 'upgrade');
    return joinsLines ? lines.join(', ') : (lines[0] ?? '');
  };

export const sentUpgrade: HostModel['sentUpgrade'] = sentUpgradeOf(releases['1.22']);

export const modelOf = (release: NginxRelease): HostModel => ({
  receives: (request) => receive(request, releases[release]),
  sentUpgrade: sentUpgradeOf(releases[release]),
  receivesHeader,
});
