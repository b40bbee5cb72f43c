/**
 * Host model of Caddy 2.11.9: what a guard in it receives for a raw request target, and what its `reverse_proxy` sends on.
 * The guard reads `r.RequestURI`, which is the target as sent; Caddy cleans nothing. For every method but CONNECT, whose
 * target has another grammar, and OPTIONS, whose `*` Go answers by itself; with a Host header, as HTTP/1.1 demands.
 */
import { parseTarget, requestUri } from './go-target.ts';
import type { Received } from './received.ts';

/** What net/http reads of a request line and headers: Caddy's default of 16 KiB (app.go) and 4,096 bytes more. */
const readBytes = 16 * 1024 + 4096;
/** The first request of a connection gets these more: they are read ahead to recognize HTTP/2 (`maybeServeUnencryptedHTTP2`). */
const aheadBytes = 'PRI * HTTP/2.0'.length;
const lineRest = 'GET  HTTP/1.1\r\n'.length;
const shortestRest = lineRest + 'Host: x\r\n\r\n'.length;

/** `httpguts.ValidHostHeader`, which Caddy asks of the host of an absolute form too (modules/caddyhttp/server.go). */
const validHost = /^[A-Za-z0-9\-._~!$%&'()*+,:;=[\]]*$/;
/** A host of dots could climb where it becomes part of a file path (the same place). */
const onlyDots = /^\.+(?::\d*)?$/;

const refused = (status: number): Received => ({ kind: 'refused', status });

/**
 * What becomes of `target`, bytes in latin1. A target never holds LF, which ends the request line.
 * @param restBytes bytes of the request line and headers besides the target: one limit is on all of them, here as for the
 * first request of a connection; of later ones, what is read while Go waits for them is not counted: up to 4,096 bytes
 */
export function receives(target: string, restBytes = shortestRest): Received {
  const parsed = parseTarget(target);
  if (!parsed) return refused(target.length + lineRest > readBytes ? 431 : 400);
  if (target.length + restBytes > readBytes + aheadBytes) return refused(431);
  if (!validHost.test(parsed.host) || onlyDots.test(parsed.host)) return refused(400);
  return { kind: 'passed', target, backend: requestUri(parsed) };
}

/**
 * Whether a request header of this name reaches the guard and the backend: Caddy drops names with an underscore or a dot,
 * which backends of the CGI family could take for another one (modules/caddyhttp/server.go; its allow lists are empty).
 */
export function receivesHeader(name: string): boolean {
  return !/[_.]/.test(name);
}
