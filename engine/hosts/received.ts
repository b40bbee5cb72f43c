/** What a proxy makes of a request before a guard in it sees anything. */

import { hostName } from '../host-name.ts';

/** Names and values in the order of sending; values are byte strings. */
type Headers = readonly (readonly [name: string, value: string])[];

export type HttpVersion = '1.0' | '1.1' | '2' | '3';

/** A request as a client sends it. Strings are bytes in latin1; over HTTP/1 none has LF, which ends a line. */
export interface SentRequest {
  readonly method: string;
  readonly target: string;
  readonly version: HttpVersion;
  /** All of them, also Host. Over HTTP/2 and HTTP/3 the first Host is sent as `:authority`, and names in lower case. */
  readonly headers: Headers;
  /** Whether the proxy trusts the peer for X-Forwarded headers; absent: it does. */
  readonly isPeerTrusted?: boolean;
}

/** In place of a status: over HTTP/2 and HTTP/3 some requests get a reset stream, and no response. */
export const reset = 0;

export type Received =
  | {
      readonly kind: 'passed';
      /** What the guard reads. */
      readonly target: string;
      /** What the backend is sent when the guard lets the request through. */
      readonly backend: string;
      /** The host for the guard, as sent; empty: there is none. */
      readonly host: string;
      /** Without Host. */
      readonly headers: Headers;
    }
  /** The proxy answers by itself; neither guard nor backend see the request. */
  | { readonly kind: 'refused'; readonly status: number };

/** A host model: what becomes of a request. */
export type Receives = (request: SentRequest) => Received;

/** What the proxy makes of a request before the guard sees it. */
export interface HostModel {
  readonly receives: Receives;
  /** Whether a request header of this name reaches the guard and the backend. */
  readonly receivesHeader: (name: string) => boolean;
}

export const refused = (status: number): Received => ({ kind: 'refused', status });

/** A host that no policy names, for requests without one: servers demand a host. */
const noHost = 'host.invalid';

const isHost = ([name]: Headers[number]): boolean => name.toLowerCase() === 'host';

interface Described {
  readonly target: string;
  readonly method?: string;
  readonly headers?: Headers;
  readonly host?: string;
}

/** Clients send the host of an absolute target as Host too (RFC 9112 3.2.2). */
function hostIn(target: string): string {
  const [, authority = ''] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target) ?? [];
  return hostName(authority) || noHost;
}

/** A request of HTTP/1.1 with the Host header before its others. */
export const asSent = ({ target, method = 'GET', headers = [], host = hostIn(target) }: Described): SentRequest => ({
  ...{ target, method, version: '1.1' },
  headers: [['Host', host], ...headers.filter((header) => !isHost(header))],
});

export const hostsOf = ({ headers }: SentRequest): string[] => headers.filter(isHost).map(([, value]) => value);

export const withoutHost = ({ headers }: SentRequest): Headers => headers.filter((header) => !isHost(header));

export const isMultiplexed = ({ version }: SentRequest): boolean => version === '2' || version === '3';

/** Bytes of a request line, with its end. */
export const lineBytes = ({ method, target }: SentRequest): number => `${method} ${target} HTTP/1.1\r\n`.length;

/** Bytes of a request line and headers of HTTP/1, with the empty line. */
export const headBytes = (request: SentRequest): number =>
  request.headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, lineBytes(request) + 2);

/** Size of a list of headers, as RFC 9113 6.5.2 and RFC 9114 4.2.2 count it. The scheme is not known here: 5 bytes. */
export const listBytes = ({ method, target, headers }: SentRequest): number =>
  [
    [':method', method],
    [':path', target],
    [':scheme', 'https'],
    ...headers.map(([name, value]) => [name.toLowerCase() === 'host' ? ':authority' : name, value] as const),
  ].reduce((sum, [name = '', value = '']) => sum + name.length + value.length + 32, 0);
