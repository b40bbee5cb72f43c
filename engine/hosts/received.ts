/** Types of host models. A host model computes what the guard in a proxy receives for a raw request. */

import { hostName } from '../host-name.ts';

/** Names and values in the order of sending; values are byte strings. */
type Headers = readonly (readonly [name: string, value: string])[];

export type HttpVersion = '1.0' | '1.1' | '2' | '3';

/** A request as the client sends it, in Latin-1 bytes. Over HTTP/1, no string has LF, which ends a line. */
export interface SentRequest {
  readonly method: string;
  readonly target: string;
  readonly version: HttpVersion;
  /** All headers. Over HTTP/2 and HTTP/3 the first Host is sent as `:authority`, and names are in lower case. */
  readonly headers: Headers;
  /** True when the proxy trusts the X-Forwarded headers of the peer. Default: true. */
  readonly isPeerTrusted?: boolean;
}

/** Decodes complete escapes such as `%2F`. Other text stays unchanged. */
export const unescaped = (text: string): string =>
  text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Replaces the status when HTTP/2 or HTTP/3 resets the stream without a response. */
export const resetStatus = 0;

export type Received =
  | {
      readonly kind: 'passed';
      /** The target for the guard. */
      readonly target: string;
      /** The target for the backend, when the guard allows the request. */
      readonly backend: string;
      /** The host for the guard; empty when the request has none. */
      readonly host: string;
      /** The headers that reach the guard, except Host. */
      readonly headers: Headers;
    }
  /** The proxy responds itself. Neither guard nor backend see the request. */
  | { readonly kind: 'refused'; readonly status: number };

/** A host model: returns the result for a request. */
export type Receives = (request: SentRequest) => Received;

export interface HostModel {
  readonly receives: Receives;
  /**
   * Returns the Upgrade header for the backend, of the headers that the guard passes on over HTTP/1. Empty: none. The model
   * of nginx has the usual directives for WebSockets.
   */
  readonly sentUpgrade: (headers: Headers) => string;
  /** True when a request header of this name reaches the guard and the backend. */
  readonly receivesHeader: (name: string) => boolean;
}

export const refusal = (status: number): Received => ({ kind: 'refused', status });

/** Host of requests without a host, because servers require a host. No policy names this host. */
const noHost = 'host.invalid';

const isHost = ([name]: Headers[number]): boolean => name.toLowerCase() === 'host';

interface Described {
  readonly target: string;
  readonly method?: string;
  readonly headers?: Headers;
  readonly host?: string;
}

/**
 * Returns the host name of an absolute target, because clients also send it as Host (RFC 9112 3.2.2). Returns `noHost`
 * if there is none.
 */
function hostIn(target: string): string {
  const [, authority = ''] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target) ?? [];
  return hostName(authority) || noHost;
}

/** Returns a request of HTTP/1.1 with the Host header before the other headers. */
export const asSent = ({ target, method = 'GET', headers = [], host = hostIn(target) }: Described): SentRequest => ({
  ...{ target, method, version: '1.1' },
  headers: [['Host', host], ...headers.filter((header) => !isHost(header))],
});

export const hostsOf = ({ headers }: SentRequest): string[] => headers.filter(isHost).map(([, value]) => value);

export const withoutHost = ({ headers }: SentRequest): Headers => headers.filter((header) => !isHost(header));

/** Returns the lines of a header. `name` is in lower case. */
export const linesOf = (headers: Headers, name: string): string[] =>
  headers.flatMap(([other, value]) => (other.toLowerCase() === name ? [value] : []));

/** True when Connection has the option `upgrade`, as in `httpguts.HeaderValuesContainsToken`. */
export const asksForUpgrade = (headers: Headers): boolean =>
  linesOf(headers, 'connection').some((line) =>
    line.split(',').some((option) => /^[ \t]*upgrade[ \t]*$/i.test(option)),
  );

export const isMultiplexed = ({ version }: SentRequest): boolean => version === '2' || version === '3';

/** Returns the number of bytes of the request line, with its line end. */
export const lineBytes = ({ method, target }: SentRequest): number => `${method} ${target} HTTP/1.1\r\n`.length;

/** Returns the number of bytes of the request line and headers in HTTP/1, with the empty line. */
export const headBytes = (request: SentRequest): number =>
  request.headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, lineBytes(request) + 2);

/** Size of a header list as in RFC 9113 6.5.2 and RFC 9114 4.2.2. The scheme is unknown and counts as 5 bytes. */
export const listBytes = ({ method, target, headers }: SentRequest): number =>
  [
    [':method', method],
    [':path', target],
    [':scheme', 'https'],
    ...headers.map(([name, value]) => [name.toLowerCase() === 'host' ? ':authority' : name, value] as const),
  ].reduce((sum, [name = '', value = '']) => sum + name.length + value.length + 32, 0);
