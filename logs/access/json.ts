/**
 * Parses lines in JSON: of Caddy, of Traefik, and of other servers with the usual names, such as nginx with
 * `escape=json`.
 */
import { isEventType } from '../../contract/events/read.ts';
import type { Headers } from '../../engine/index.ts';
import { hostOf, noHeaders, type ParsedLine, parseRequestLine, presentText, type RequestLine } from './request.ts';

export type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** Parses a line as a JSON object. Bytes stay Latin-1 characters, because nginx logs bytes that are not UTF-8. */
export function parseObject(line: string): Members | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const wideCharacter = /[\u0100-\uffff]/;

/**
 * Returns a text with one byte per character, or undefined for another value. Encodes characters above one byte, which
 * come from `\u` escapes, as UTF-8.
 */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (!wideCharacter.test(value)) return value;
  return value.replace(/[\u0100-\uffff]+/g, (part) => Buffer.from(part, 'utf8').toString('latin1'));
}

function statusOf(value: unknown): number {
  const status = typeof value === 'string' ? Number.parseInt(value, 10) : value;
  return typeof status === 'number' && Number.isInteger(status) ? status : 0;
}

/** Builds a request line and parses it. Its version has no meaning: it only marks the end of the target. */
function requestOf(method: string | undefined, target: string | undefined): RequestLine | undefined {
  return method && target ? parseRequestLine(`${method} ${target} HTTP/1.1`) : undefined;
}

/** Converts Caddy's headers, which are lists of values by name. */
function headersOf(value: unknown): Headers {
  if (!isObject(value)) return noHeaders;
  return Object.entries(value).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : []).flatMap((one) => {
      const text = textOf(one);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

const firstOf = (value: unknown): string | undefined => textOf(Array.isArray(value) ? value[0] : undefined);

/**
 * True for the access log. Caddy also writes other lines with a request: those of `http.log.error` repeat failed
 * requests.
 */
const isAccessLog = (logger: unknown): boolean => typeof logger !== 'string' || logger.startsWith('http.log.access');

export function readCaddy({ logger, request, status }: Members): ParsedLine {
  if (!isObject(request) || !isAccessLog(logger)) return undefined;
  const { method, uri, host, headers, remote_ip, client_ip } = request;
  if (typeof method !== 'string' || typeof uri !== 'string') return undefined;
  const split = requestOf(textOf(method), textOf(uri));
  if (!split) return 'notRequest';
  return {
    ...split,
    host: hostOf(textOf(host)),
    address: textOf(remote_ip) ?? textOf(client_ip),
    peer: textOf(remote_ip),
    status: statusOf(status),
    referrer: isObject(headers) ? firstOf(headers.Referer) : undefined,
    // Converting headers takes as long as the verdict, and few policies read them.
    get headers() {
      return headersOf(headers);
    },
  };
}

export function readTraefikJson(members: Members): ParsedLine {
  const { RequestMethod, RequestPath, RequestHost, ClientAddr, ClientHost, DownstreamStatus } = members;
  if (typeof RequestMethod !== 'string' || typeof RequestPath !== 'string') return undefined;
  const split = requestOf(textOf(RequestMethod), textOf(RequestPath));
  if (!split) return 'notRequest';
  return {
    ...split,
    host: hostOf(textOf(RequestHost)),
    address: textOf(ClientHost),
    // ClientHost can be the X-Forwarded-For of the client.
    peer: hostOf(textOf(ClientAddr))?.replace(/^\[(.*)\]$/, '$1'),
    status: statusOf(DownstreamStatus),
    referrer: presentText(textOf(members.request_Referer)),
    headers: noHeaders,
  };
}

/** Names of each member in the logs of servers, in order of preference. */
const memberNames = {
  line: ['request', 'request_line', 'requestLine'],
  method: ['request_method', 'method', 'verb', 'http_method'],
  target: ['request_uri', 'uri', 'target', 'url', 'path'],
  query: ['args', 'query_string', 'query'],
  host: ['host', 'http_host', 'vhost', 'server_name'],
  address: ['remote_addr', 'remote_ip', 'client_ip', 'client', 'remoteAddr', 'ip'],
  status: ['status', 'status_code', 'response_status', 'response_code', 'code'],
  referrer: ['http_referer', 'referer', 'referrer', 'http_referrer'],
} as const;

type Name = keyof typeof memberNames;

const memberOf = (members: Members, name: Name): unknown =>
  members[memberNames[name].find((one) => members[one] !== undefined) ?? ''];

const textMember = (members: Members, name: Name): string | undefined => presentText(textOf(memberOf(members, name)));

/** Finds the request line. Some servers log path and query separately. */
function requestLineOf(members: Members): RequestLine | undefined {
  const [target, query] = [textMember(members, 'target'), textMember(members, 'query')];
  const whole = target === undefined || query === undefined || target.includes('?') ? target : `${target}?${query}`;
  return requestOf(textMember(members, 'method'), whole) ?? parseRequestLine(textMember(members, 'line') ?? '');
}

/** Requests to Caddy's admin API are not traffic of a site. */
const isAdminLog = (logger: unknown): boolean => typeof logger === 'string' && logger.startsWith('admin');

export function readJson(members: Members): ParsedLine {
  // The requests of security events are already in the access log.
  if (isEventType(members.type) || isAdminLog(members.logger)) return undefined;
  if (!(['line', 'target'] as const).some((name) => typeof memberOf(members, name) === 'string')) return undefined;
  const split = requestLineOf(members);
  if (!split) return 'notRequest';
  return {
    ...split,
    host: hostOf(textMember(members, 'host')),
    address: textMember(members, 'address'),
    status: statusOf(memberOf(members, 'status')),
    referrer: textMember(members, 'referrer'),
    headers: noHeaders,
  };
}
