/**
 * Host model of Caddy 2.11.9: what a guard in it receives for a raw request target, and what its `reverse_proxy` sends on.
 * The guard reads `r.RequestURI`, which is the target as sent; Caddy cleans nothing. For every method but CONNECT, whose
 * target has another grammar, and OPTIONS, whose `*` Go answers by itself; with a Host header, as HTTP/1.1 demands.
 */
import { isHostHeader } from './go-host.ts';
import { type GoServer, readRequest } from './go-server.ts';
import { requestUri } from './go-target.ts';
import { type Receives, refused, type SentRequest, withoutHost } from './received.ts';

const server: GoServer = {
  /** golang.org/x/net 0.60 and quic-go 0.63. */
  strictness: { isPathOnly: true, refusesUser: (version) => version === '2' || version === '3' },
  /** Caddy's default (app.go). */
  headLimit: 16 * 1024,
  /** They are read ahead to recognize HTTP/2 (`maybeServeUnencryptedHTTP2`). */
  aheadBytes: 'PRI * HTTP/2.0'.length,
};

/** A host of dots could climb where it becomes part of a file path (modules/caddyhttp/server.go). */
const onlyDots = /^\.+(?::\d*)?$/;

/** HTTP/1.1 needs a host that is not empty (the same place). */
const isWithout = (host: string, { version }: SentRequest): boolean => version === '1.1' && host === '';

/**
 * What becomes of a request. One limit is on all bytes of the head, here as for the first request of a connection; of
 * later ones, what is read while Go waits for them is not counted: up to 4,096 bytes.
 */
export const receives: Receives = (request) => {
  const read = readRequest(request, server);
  if (read.kind !== 'read') return read;
  const { requestHost: host } = read;
  if (!isHostHeader(host) || onlyDots.test(host) || isWithout(host, request)) return refused(400);
  const headers = withoutHost(request).filter(([name]) => receivesHeader(name));
  return { kind: 'passed', target: request.target, backend: requestUri(read), host, headers };
};

/**
 * Whether a request header of this name reaches the guard and the backend: Caddy drops names with an underscore or a dot,
 * which backends of the CGI family could take for another one (modules/caddyhttp/server.go; its allow lists are empty).
 */
export function receivesHeader(name: string): boolean {
  return !/[_.]/.test(name);
}
