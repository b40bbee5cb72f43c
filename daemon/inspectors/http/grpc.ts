/**
 * Outcomes of gRPC (its documents PROTOCOL-HTTP2 and statuscodes): the status of HTTP is 200, and trailers have the true
 * one. A response without content has both in its only headers.
 */
import type { Headers } from '../../../engine/index.ts';
import { valuesOf } from './head.ts';

/** The statuses of HTTP with the same meaning. Others are not the outcome of a login, such as 7 (PERMISSION_DENIED). */
const statusesOfCodes: ReadonlyMap<string | undefined, number> = new Map([
  ['0', 200],
  ['16', 401], // UNAUTHENTICATED
]);
const otherError = 500;

/** The status of a response, or of trailers. Undefined: the outcome follows, as content or in trailers. */
export function statusOf(headers: Headers): number | undefined {
  const [status] = valuesOf(headers, ':status');
  const [code] = valuesOf(headers, 'grpc-status');
  const isTrailers = status === undefined;
  if (!isTrailers && (status !== '200' || code === undefined))
    return status === '200' && isGrpc(headers) ? undefined : Number(status);
  return statusesOfCodes.get(code) ?? otherError;
}

const isGrpc = (headers: Headers): boolean =>
  valuesOf(headers, 'content-type').some((type) => /^application\/grpc/i.test(type));
