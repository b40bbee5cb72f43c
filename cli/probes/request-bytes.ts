/** A request as bytes: exactly what it says, with nothing normalised. */
import type { ProbeRequest } from './probe.ts';

/** Tells requests apart in the security events, which carry the User-Agent. */
export const markerHeader = 'User-Agent';
/** Of one length, so that the size of a head does not depend on the number. */
export const marker = (index: number): string => `guard-probe/${String(index).padStart(6, '0')}`;

/** The number of a request of ours; undefined for a request of somebody else. */
export function markedIndex(userAgent: string): number | undefined {
  const digits = /^guard-probe\/(\d+)$/.exec(userAgent)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Length of a body that is announced and then withheld. */
const withheldBytes = 10;

function framing({ body, withheld, method }: ProbeRequest): readonly (readonly [string, string])[] {
  if (withheld) return [['Content-Length', String(withheldBytes)]];
  if (body !== undefined) return [['Content-Length', String(body.length)]];
  return method === 'POST' || method === 'PUT' ? [['Content-Length', '0']] : [];
}

/** Header lines besides Host, in the order they are sent. */
export function headersOf(request: ProbeRequest, index: number): readonly (readonly [string, string])[] {
  return [[markerHeader, marker(index)], ...request.headers, ...framing(request)];
}

/** The bytes of one request; `host` is for requests that name none. */
export function requestBytes(request: ProbeRequest, index: number, host: string): Buffer {
  const headers = [['Host', request.host ?? host], ...headersOf(request, index)];
  const lines = [
    `${request.method} ${request.target} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const body = request.withheld ? '' : (request.body ?? '');
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}
