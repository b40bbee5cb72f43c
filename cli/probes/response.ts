/** Parses HTTP/1.1 responses from received bytes (RFC 9112). */

/**
 * Maximum bytes of a head and of a body. The longest body of a policy has 1 MiB; the echo returns head and body of a
 * request.
 */
const longestHead = 64 * 1024;
export const longestBody = 2 * 1024 * 1024;
/** Bytes for one request, including interim responses and chunk sizes. */
const longestResponse = 2 * (longestHead + longestBody);

export interface HttpResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Names are in lower case. Values and body are Latin-1. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  /** True when the connection ends with this response: the server closes it, or `isCut` is present. */
  readonly last: boolean;
  /** Present when the reader had enough bytes before the end of the body. */
  readonly isCut?: true;
}

/** The connection ended without an error before the first byte of a response. */
interface Closed {
  readonly kind: 'closed';
}

interface Broken {
  readonly kind: 'broken';
  readonly reason: string;
  readonly received: string;
  /** Why reading stopped: a timeout, a closed connection, or malformed HTTP. */
  readonly end: 'timeout' | 'closed' | 'malformed';
}

export type Reply = HttpResponse | Closed | Broken;

/** `more`: not enough bytes yet. */
export type Parsed =
  | { readonly kind: 'done'; readonly response: HttpResponse; readonly length: number }
  | { readonly kind: 'more' }
  | { readonly kind: 'malformed'; readonly reason: string };

interface Head {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly length: number;
}

/** `soFar`: the body is incomplete. */
type Body = { readonly text: string; readonly end: number } | { readonly soFar: string } | { readonly reason: string };

/** Returns the value of a header. @param name in lower case */
export function headerValue({ headers }: Pick<HttpResponse, 'headers'>, name: string): string | undefined {
  return headers.find(([key]) => key === name)?.[1];
}

function parseHead(received: string): Head | 'more' | { readonly reason: string } {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return received.length > longestHead ? { reason: `a head of more than ${longestHead} bytes` } : 'more';
  const [first = '', ...lines] = received.slice(0, end).split('\r\n');
  const status = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/.exec(first)?.[1];
  if (status === undefined) return { reason: 'no HTTP/1.1 status line' };
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, Math.max(colon, 0)).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(status), headers, length: end + 4 };
}

function chunkedBody(received: string, start: number): Body {
  let at = start;
  let text = '';
  for (;;) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd < 0) return { soFar: text };
    const digits = /^[\da-f]{1,8}(?=[\t ;]|$)/i.exec(received.slice(at, lineEnd))?.[0];
    if (digits === undefined) return { reason: 'a bad chunk size' };
    const size = Number.parseInt(digits, 16);
    if (text.length + size > longestBody) return { reason: `a body of more than ${longestBody} bytes` };
    const isWhole = received.length >= lineEnd + 2 + size + 2;
    if (!isWhole) return { soFar: text + received.slice(lineEnd + 2, lineEnd + 2 + size) };
    text += received.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
    // The servers of a sandbox send no trailers: an empty line follows the last chunk.
    if (size === 0) return { text, end: at };
  }
}

function sizedBody(received: string, start: number, length: number): Body {
  if (!(length >= 0 && length <= longestBody)) return { reason: `a Content-Length of ${length}` };
  return received.length < start + length
    ? { soFar: received.slice(start) }
    : { text: received.slice(start, start + length), end: start + length };
}

/** Finds the end of the body by the rules of RFC 9112 6.3, in their order. */
function parseBody(received: string, head: Head, method: string, ended: boolean): Body {
  if (method === 'HEAD' || head.status === 204 || head.status === 304) return { text: '', end: head.length };
  if (/chunked/i.test(headerValue(head, 'transfer-encoding') ?? '')) return chunkedBody(received, head.length);
  const length = headerValue(head, 'content-length');
  if (length !== undefined) return sizedBody(received, head.length, Number(length));
  if (received.length - head.length > longestBody) return { reason: `a body of more than ${longestBody} bytes` };
  const text = received.slice(head.length);
  return ended ? { text, end: received.length } : { soFar: text };
}

function parseFinal(received: string, head: Head, method: string, ended: boolean, enough: number): Parsed {
  const body = parseBody(received, head, method, ended);
  if ('reason' in body) return { kind: 'malformed', reason: body.reason };
  const { status, headers } = head;
  if ('soFar' in body) {
    if (body.soFar.length < enough) return { kind: 'more' };
    const response: HttpResponse = { kind: 'response', status, headers, body: body.soFar, last: true, isCut: true };
    return { kind: 'done', response, length: received.length };
  }
  const last = ended || /close/i.test(headerValue(head, 'connection') ?? '');
  return { kind: 'done', response: { kind: 'response', status, headers, body: body.text, last }, length: body.end };
}

/**
 * Parses the final response to a request with this method.
 * @param ended true when no more bytes will arrive
 * @param enough body bytes that are enough; absent: the whole body is needed
 */
export function parseResponse(
  received: string,
  method: string,
  ended: boolean,
  enough = Number.POSITIVE_INFINITY,
): Parsed {
  let start = 0;
  let head = parseHead(received);
  for (; typeof head === 'object' && 'status' in head && head.status < 200; head = parseHead(received.slice(start))) {
    start += head.length;
    if (start > longestHead)
      return { kind: 'malformed', reason: `interim responses of more than ${longestHead} bytes` };
  }
  if (head !== 'more' && 'reason' in head) return { kind: 'malformed', reason: head.reason };
  const parsed =
    head === 'more' ? ({ kind: 'more' } as const) : parseFinal(received.slice(start), head, method, ended, enough);
  if (parsed.kind === 'more' && received.length > longestResponse)
    return { kind: 'malformed', reason: `a response of more than ${longestResponse} bytes` };
  return parsed.kind === 'done' ? { ...parsed, length: start + parsed.length } : parsed;
}
