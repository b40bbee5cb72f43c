/** The bytes of a request, without any normalization. */
import type { ProbeRequest } from './probe.ts';

/** Security events contain the User-Agent, which identifies the request. */
export const markerHeader = 'User-Agent';
/** All markers have the same length, so the size of a head does not depend on the number. */
export const marker = (index: number): string => `guard-probe/${String(index).padStart(6, '0')}`;

/** Returns the number of a request by its marker. Undefined for requests that are not from a probe. */
export function markedIndex(userAgent: string): number | undefined {
  const digits = /^guard-probe\/(\d+)$/.exec(userAgent)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const withheldBytes = 10;

function framingHeaders({ body, withheld, method }: ProbeRequest): readonly (readonly [string, string])[] {
  if (withheld) return [['Content-Length', String(withheldBytes)]];
  if (body !== undefined) return [['Content-Length', String(body.length)]];
  return method === 'POST' || method === 'PUT' ? [['Content-Length', '0']] : [];
}

/** All headers except Host, in the order of sending. */
export function headersOf(request: ProbeRequest, index: number): readonly (readonly [string, string])[] {
  return [[markerHeader, marker(index)], ...request.headers, ...framingHeaders(request)];
}

/** A request for any version of HTTP. */
export interface RequestParts {
  readonly method: string;
  readonly target: string;
  /** The first one is Host. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Returns the parts of a request. `host` is the Host header, unless the request names another one. */
export function partsOf(request: ProbeRequest, index: number, host: string): RequestParts {
  const { method, target } = request;
  const headers = [['Host', request.host ?? host] as const, ...headersOf(request, index)];
  return { method, target, headers, body: request.withheld ? '' : (request.body ?? '') };
}

/** Returns the bytes of an HTTP/1.1 request. */
export function requestBytes(request: ProbeRequest, index: number, host: string): Buffer {
  const { method, target, headers, body } = partsOf(request, index, host);
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}
