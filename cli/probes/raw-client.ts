/** Sends raw bytes over plain sockets, because HTTP libraries change them. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Endpoint } from '../../contract/values/endpoint.ts';
import type { RequestParts } from './request-bytes.ts';
import { type HttpResponse, parseResponse, type Reply } from './response.ts';

/** Milliseconds for all responses of an exchange that the policy does not delay. */
const exchangeTimeoutMs = 15_000;

export interface Awaited {
  readonly method: string;
  /** Body bytes that are enough. Absent: the whole body is needed. */
  readonly enough?: number;
}

/** Pipelined requests and their expected responses. */
export interface Exchange {
  readonly bytes: Buffer;
  /** The same requests in parts, for other versions of HTTP. */
  readonly requests?: readonly RequestParts[];
  readonly awaited: readonly Awaited[];
  /** Milliseconds by which the policy may delay the responses. */
  readonly extraTimeoutMs?: number;
}

/** A connection for one exchange at a time. */
export interface RawConnection {
  /**
   * Returns one reply per request. When the connection ends early, the last reply has the reason and later ones are
   * missing. Extra bytes after the last response are one more reply. Never rejects.
   * @param fresh opens a new connection even if one is open
   */
  readonly send: (exchange: Exchange, fresh: boolean) => Promise<readonly Reply[]>;
  readonly close: () => void;
}

interface ReadState {
  received: string;
  readonly replies: HttpResponse[];
}

/**
 * Moves complete responses from the received bytes to `replies`. Returns the reason when the bytes are not valid HTTP,
 * otherwise undefined.
 */
function shiftResponses(state: ReadState, awaited: readonly Awaited[], ended: boolean): string | undefined {
  const isOpen = (): boolean => state.replies.length < awaited.length && !state.replies.at(-1)?.isCut;
  while (isOpen() && (state.received !== '' || ended)) {
    const { method, enough } = awaited[state.replies.length] as Awaited;
    const parsed = parseResponse(state.received, method, ended, enough);
    if (parsed.kind === 'more') return undefined;
    if (parsed.kind === 'malformed') return parsed.reason;
    state.replies.push(parsed.response);
    state.received = state.received.slice(parsed.length);
  }
  return undefined;
}

type End = Extract<Reply, { kind: 'broken' }>['end'];

const brokenReply = ({ received }: ReadState, end: End, reason: string): Reply => ({
  kind: 'broken',
  reason,
  received,
  end,
});

/** The reply for the waiting request when the connection has ended. */
const endReply = (state: ReadState, reason: string): Reply =>
  state.received === '' && reason === ''
    ? { kind: 'closed' }
    : brokenReply(state, 'closed', reason || 'the connection ended in the middle of the response');

const extraReplies = (state: ReadState): Reply[] =>
  state.received === '' ? [] : [brokenReply(state, 'malformed', 'extra bytes after the response')];

/** Resolves when all responses have arrived, the connection has ended, the bytes are not HTTP, or the time is over. */
function readReplies(socket: Socket, { awaited, extraTimeoutMs = 0 }: Exchange): Promise<readonly Reply[]> {
  const patienceMs = exchangeTimeoutMs + extraTimeoutMs;
  const state: ReadState = { received: '', replies: [] };
  return new Promise((resolve) => {
    const finish = (...end: Reply[]): void => {
      socket
        .removeAllListeners('data')
        .removeAllListeners('close')
        .removeAllListeners('error')
        .removeAllListeners('end');
      socket.on('error', () => {}); // an idle connection may fail: the next request opens a new one
      clearTimeout(timer);
      if (end.length > 0 || state.replies.some(({ last }) => last)) socket.destroy();
      resolve([...state.replies, ...end]);
    };
    const advance = (ended: boolean, reason = ''): void => {
      const malformedReason = shiftResponses(state, awaited, ended);
      // Bytes after a response that was cut on purpose belong to that response.
      if (state.replies.at(-1)?.isCut) finish();
      else if (state.replies.length === awaited.length) finish(...extraReplies(state));
      else if (malformedReason !== undefined) finish(brokenReply(state, 'malformed', malformedReason));
      else if (ended) finish(endReply(state, reason));
    };
    const timeoutReason = `no response in ${patienceMs} ms`;
    const timer = setTimeout(() => finish(brokenReply(state, 'timeout', timeoutReason)), patienceMs);
    socket.on('data', (chunk: Buffer) => {
      state.received += chunk.toString('latin1');
      advance(false);
    });
    socket.on('end', () => advance(true));
    socket.on('error', (error) => advance(true, error.message));
    socket.on('close', () => advance(true));
  });
}

/** True when the server may have closed a kept connection before it read the request. */
function isUnread([first]: readonly Reply[]): boolean {
  return first?.kind === 'closed' || (first?.kind === 'broken' && first.received === '' && first.end === 'closed');
}

/**
 * True when a response is truncated. Traefik truncates one response in thousands, when the backend responds right after
 * the last byte of a body. Intended truncation happens each time.
 */
function isTruncated(replies: readonly Reply[]): boolean {
  const last = replies.at(-1);
  return last?.kind === 'broken' && last.received !== '' && last.end === 'closed';
}

const mostRepeats = 3;

export interface Server extends Endpoint {
  /** True when the server expects TLS, with a certificate that this machine trusts. */
  readonly isTls?: boolean;
}

export function dial({ host, port, isTls }: Server): Socket {
  if (!isTls) return connect({ host, port, noDelay: true });
  // A TLS server name must not be an address (RFC 6066 3).
  const name = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port, ALPNProtocols: ['http/1.1'], ...name });
}

export function openConnection(server: Server): RawConnection {
  let socket: Socket | undefined;
  const sendOnce = async (exchange: Exchange, isKept: boolean): Promise<readonly Reply[]> => {
    socket = isKept && socket ? socket : dial(server);
    const replies = readReplies(socket, exchange);
    socket.write(exchange.bytes);
    return replies;
  };
  return {
    send: async (exchange, fresh) => {
      const isKept = !fresh && socket !== undefined && !socket.destroyed && socket.readyState === 'open';
      if (!isKept) socket?.destroy();
      let replies = await sendOnce(exchange, isKept);
      if (isKept && isUnread(replies)) replies = await sendOnce(exchange, false);
      for (let left = mostRepeats; left > 0 && isTruncated(replies); left -= 1)
        replies = await sendOnce(exchange, false);
      return replies;
    },
    close: () => socket?.destroy(),
  };
}
