/**
 * Host model of Caddy 2.11.9 with `reverse_proxy`. The guard reads `r.RequestURI`, the raw target. The model excludes
 * CONNECT, whose target has another grammar, and `OPTIONS *`, to which Go responds.
 */
import { isHostHeader } from './go-host.ts';
import { type GoServer, readRequest } from './go-server.ts';
import { requestUri } from './go-target.ts';
import {
  asksForUpgrade,
  type HostModel,
  linesOf,
  type Receives,
  refusal,
  type SentRequest,
  withoutHost,
} from './received.ts';

const server: GoServer = {
  /** Caddy 2.11.9 uses golang.org/x/net 0.60 and quic-go 0.63, which make these checks. */
  strictness: { isPathOnly: true, refusesUser: (version) => version === '2' || version === '3' },
  /** Caddy's default (app.go). */
  headLimit: 16 * 1024,
  /** Caddy reads these bytes ahead to recognize HTTP/2 (`maybeServeUnencryptedHTTP2`). */
  aheadBytes: 'PRI * HTTP/2.0'.length,
};

/** Caddy refuses a host of dots, which could leave a folder in a file path (modules/caddyhttp/server.go). */
const onlyDots = /^\.+(?::\d*)?$/;

/** True when a request of HTTP/1.1 lacks a non-empty host, which Caddy requires (modules/caddyhttp/server.go). */
const lacksHost = (host: string, { version }: SentRequest): boolean => version === '1.1' && host === '';

/** Returns the result for the first request of a connection. Later requests may have 4,096 bytes more in their head. */
export const receives: Receives = (request) => {
  const read = readRequest(request, server);
  if (read.kind !== 'read') return read;
  const { requestHost: host } = read;
  if (!isHostHeader(host) || onlyDots.test(host) || lacksHost(host, request)) return refusal(400);
  const headers = withoutHost(request).filter(([name]) => receivesHeader(name));
  return { kind: 'passed', target: request.target, backend: requestUri(read), host, headers };
};

/** Caddy sends the first line (`upgradeType` of modules/caddyhttp/reverseproxy/reverseproxy.go). */
export const sentUpgrade: HostModel['sentUpgrade'] = (headers) =>
  asksForUpgrade(headers) ? (linesOf(headers, 'upgrade')[0] ?? '').toLowerCase() : '';

/**
 * True when a header of this name reaches the guard. By default, Caddy drops names with an underscore or a dot, which
 * CGI could confuse with a dash (modules/caddyhttp/server.go).
 */
export function receivesHeader(name: string): boolean {
  return !/[_.]/.test(name);
}
