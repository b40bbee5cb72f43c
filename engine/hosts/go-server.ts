/** What the HTTP servers of Go make of a request, which Caddy and Traefik start from. */
import { type GoTarget, parseTarget, requestHost, type Strictness } from './go-target.ts';
import {
  headBytes,
  isMultiplexed,
  lineBytes,
  listBytes,
  type Received,
  refused,
  reset,
  type SentRequest,
} from './received.ts';

export interface GoServer {
  readonly strictness: Strictness;
  /** Bytes of a list of headers (`MaxHeaderBytes`). */
  readonly headLimit: number;
  /** Bytes that the first request of a connection gets more in HTTP/1. */
  readonly aheadBytes: number;
}

export interface ReadRequest extends GoTarget {
  readonly kind: 'read';
  /** `Request.Host`. */
  readonly requestHost: string;
}

/** What net/http reads of a request line and headers in HTTP/1. */
const readBytes = ({ headLimit }: GoServer): number => headLimit + 4096;

/** HTTP/2 and HTTP/3 count 32 bytes a header; HTTP/2 allows that for ten headers besides (`maxHeaderListSize`). */
function isTooLong(request: SentRequest, server: GoServer): boolean {
  if (!isMultiplexed(request)) return headBytes(request) > readBytes(server) + server.aheadBytes;
  return listBytes(request) > server.headLimit + (request.version === '2' ? 10 * 32 : 0);
}

/** The parts of a request, or the refusal. One limit is on all bytes of the head. */
export function readRequest(request: SentRequest, server: GoServer): ReadRequest | Received {
  const malformed = refused(isMultiplexed(request) ? reset : 400);
  const parsed = parseTarget(request, server.strictness);
  if (request.version === '3' && isTooLong(request, server)) return refused(431); // before the path is read
  if (!parsed) return !isMultiplexed(request) && lineBytes(request) > readBytes(server) ? refused(431) : malformed;
  if (isTooLong(request, server)) return refused(431);
  const host = requestHost(request, parsed, server.strictness);
  return host === undefined ? malformed : { kind: 'read', ...parsed, requestHost: host };
}
