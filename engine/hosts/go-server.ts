/** Parses a request like the HTTP servers of Go. The models of Caddy and Traefik use it. */
import { type GoTarget, parseTarget, requestHost, type Strictness } from './go-target.ts';
import {
  headBytes,
  isMultiplexed,
  lineBytes,
  listBytes,
  type Received,
  refusal,
  resetStatus,
  type SentRequest,
} from './received.ts';

export interface GoServer {
  readonly strictness: Strictness;
  /** Maximum bytes of the header list (`MaxHeaderBytes`). */
  readonly headLimit: number;
  /** Additional bytes for the first request of an HTTP/1 connection. */
  readonly aheadBytes: number;
}

export interface ReadRequest extends GoTarget {
  readonly kind: 'read';
  /** `Request.Host`. */
  readonly requestHost: string;
}

/** Bytes that net/http reads for the request line and headers in HTTP/1. */
const readBytes = ({ headLimit }: GoServer): number => headLimit + 4096;

/**
 * True when the head exceeds its limit. HTTP/2 and HTTP/3 count 32 more bytes for each header. HTTP/2 also raises the
 * limit by 320 bytes, as for ten headers.
 */
function isTooLong(request: SentRequest, server: GoServer): boolean {
  if (!isMultiplexed(request)) return headBytes(request) > readBytes(server) + server.aheadBytes;
  return listBytes(request) > server.headLimit + (request.version === '2' ? 10 * 32 : 0);
}

/** Returns the parts of a request, or the refusal. One limit covers all bytes of the head. */
export function readRequest(request: SentRequest, server: GoServer): ReadRequest | Received {
  const malformed = refusal(isMultiplexed(request) ? resetStatus : 400);
  const parsed = parseTarget(request, server.strictness);
  // HTTP/3 checks the size before it reads the path.
  if (request.version === '3' && isTooLong(request, server)) return refusal(431);
  if (!parsed) return !isMultiplexed(request) && lineBytes(request) > readBytes(server) ? refusal(431) : malformed;
  if (isTooLong(request, server)) return refusal(431);
  const host = requestHost(request, parsed, server.strictness);
  return host === undefined ? malformed : { kind: 'read', ...parsed, requestHost: host };
}
