/**
 * Host model of Caddy 2.11.9: what a guard in it receives for a raw request target, and what its `reverse_proxy` sends on.
 * The guard reads `r.RequestURI`, which is the target as sent; Caddy cleans nothing. For every method but CONNECT, whose
 * target has another grammar, and OPTIONS, whose `*` Go answers by itself; with a Host header, as HTTP/1.1 demands.
 */
import { isHostHeader } from './go-host.ts';
import { parseTarget, requestHost, requestUri, type Strictness } from './go-target.ts';
import {
  type HttpVersion,
  headBytes,
  isMultiplexed,
  lineBytes,
  listBytes,
  type Receives,
  refused,
  reset,
  type SentRequest,
  withoutHost,
} from './received.ts';

/** What net/http reads of a request line and headers: Caddy's default of 16 KiB (app.go) and 4,096 bytes more. */
const headLimit = 16 * 1024;
const readBytes = headLimit + 4096;
/** The first request of a connection gets these more: they are read ahead to recognize HTTP/2 (`maybeServeUnencryptedHTTP2`). */
const aheadBytes = 'PRI * HTTP/2.0'.length;
/** HTTP/2 and HTTP/3 count 32 bytes a header; HTTP/2 allows that for ten headers besides (`maxHeaderListSize`). */
const listLimit = (version: HttpVersion): number => (version === '2' ? headLimit + 10 * 32 : headLimit);

/** golang.org/x/net 0.60 and quic-go 0.63. */
const strictness: Strictness = { isPathOnly: true, refusesUser: (version) => version === '2' || version === '3' };

/** A host of dots could climb where it becomes part of a file path (modules/caddyhttp/server.go). */
const onlyDots = /^\.+(?::\d*)?$/;

/** HTTP/1.1 needs a host that is not empty (the same place). */
const isWithout = (host: string, { version }: SentRequest): boolean => version === '1.1' && host === '';

const isTooLong = (request: SentRequest): boolean =>
  isMultiplexed(request)
    ? listBytes(request) > listLimit(request.version)
    : headBytes(request) > readBytes + aheadBytes;

/**
 * What becomes of a request. One limit is on all bytes of the head, here as for the first request of a connection; of
 * later ones, what is read while Go waits for them is not counted: up to 4,096 bytes.
 */
export const receives: Receives = (request) => {
  const { target } = request;
  const malformed = refused(isMultiplexed(request) ? reset : 400);
  const parsed = parseTarget(request, strictness);
  if (request.version === '3' && isTooLong(request)) return refused(431); // before the path is read
  if (!parsed) return !isMultiplexed(request) && lineBytes(request) > readBytes ? refused(431) : malformed;
  if (isTooLong(request)) return refused(431);
  const host = requestHost(request, parsed, strictness);
  if (host === undefined) return malformed;
  if (!isHostHeader(host) || onlyDots.test(host) || isWithout(host, request)) return refused(400);
  const headers = withoutHost(request).filter(([name]) => receivesHeader(name));
  return { kind: 'passed', target, backend: requestUri(parsed), host, headers };
};

/**
 * Whether a request header of this name reaches the guard and the backend: Caddy drops names with an underscore or a dot,
 * which backends of the CGI family could take for another one (modules/caddyhttp/server.go; its allow lists are empty).
 */
export function receivesHeader(name: string): boolean {
  return !/[_.]/.test(name);
}
