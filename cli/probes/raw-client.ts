/** Sends bytes and reads answers over plain sockets, several at a time on kept connections: nothing in between tidies up. */
import { connect, type Socket } from 'node:net';
import { type Answer, parseAnswer, type Reply } from './answer.ts';

/**
 * No answer of a sandbox takes longer, except where it is meant to be slow; past it, it counts as broken. The slowest are
 * bodies that Traefik's interpreter inspects, on a busy machine.
 */
const exchangeTimeoutMs = 15_000;

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** What is awaited for one request. */
export interface Awaited {
  readonly method: string;
  /** So many bytes of the answer's body are as good as all of it; absent: the whole body is wanted. */
  readonly enough?: number;
}

/** Bytes of one or more pipelined requests, and what is awaited for each. */
export interface Exchange {
  readonly bytes: Buffer;
  readonly awaited: readonly Awaited[];
  /** Milliseconds by which an answer may be slower than usual. */
  readonly slowness?: number;
}

/** One connection; not for use by two at once. */
export interface RawConnection {
  /**
   * A reply for each request, fewer when the connection ends first: then the last one says how. Never rejects.
   * @param fresh on a new connection, whatever is open
   */
  readonly send: (exchange: Exchange, fresh: boolean) => Promise<readonly Reply[]>;
  readonly close: () => void;
}

interface Reading {
  received: string;
  readonly replies: Answer[];
}

/** Takes whole answers off the front of what was received; a text tells what is wrong with it. */
function takeAnswers(reading: Reading, awaited: readonly Awaited[], ended: boolean): string | undefined {
  const isOpen = (): boolean => reading.replies.length < awaited.length && !reading.replies.at(-1)?.isCut;
  while (isOpen() && (reading.received !== '' || ended)) {
    const { method, enough } = awaited[reading.replies.length] as Awaited;
    const parsed = parseAnswer(reading.received, method, ended, enough);
    if (parsed.kind === 'more') return undefined;
    if (parsed.kind === 'nonsense') return parsed.reason;
    reading.replies.push(parsed.answer);
    reading.received = reading.received.slice(parsed.length);
  }
  return undefined;
}

/** What the end of a connection means for the request that is waiting. */
function endOf({ received }: Reading, reason: string): Reply {
  if (received === '' && reason === '') return { kind: 'closed' };
  return { kind: 'broken', reason: reason || 'the connection ended in the middle', received, end: 'closed' };
}

function silence({ received }: Reading, patienceMs: number): Reply {
  return { kind: 'broken', reason: `no answer in ${patienceMs} ms`, received, end: 'silence' };
}

function wrong({ received }: Reading, reason: string): Reply {
  return { kind: 'broken', reason, received, end: 'nonsense' };
}

/** What must not be there: bytes behind the last answer. */
const behind = (reading: Reading): Reply[] =>
  reading.received === '' ? [] : [wrong(reading, 'bytes behind the answer')];

/** Resolves when all replies are there or none will come any more. */
function readReplies(socket: Socket, { awaited, slowness = 0 }: Exchange): Promise<readonly Reply[]> {
  const patienceMs = exchangeTimeoutMs + slowness;
  const reading: Reading = { received: '', replies: [] };
  return new Promise((resolve) => {
    const finish = (...end: Reply[]): void => {
      socket
        .removeAllListeners('data')
        .removeAllListeners('close')
        .removeAllListeners('error')
        .removeAllListeners('end');
      socket.on('error', () => {}); // of an idle connection: the next request opens another
      clearTimeout(timer);
      if (end.length > 0 || reading.replies.some(({ last }) => last)) socket.destroy();
      resolve([...reading.replies, ...end]);
    };
    const advance = (ended: boolean, reason = ''): void => {
      const nonsense = takeAnswers(reading, awaited, ended);
      // What would follow an answer that is cut is the rest of it.
      if (reading.replies.at(-1)?.isCut) finish();
      else if (reading.replies.length === awaited.length) finish(...behind(reading));
      else if (nonsense !== undefined) finish(wrong(reading, nonsense));
      else if (ended) finish(endOf(reading, reason));
    };
    const timer = setTimeout(() => finish(silence(reading, patienceMs)), patienceMs);
    socket.on('data', (chunk: Buffer) => {
      reading.received += chunk.toString('latin1');
      advance(false);
    });
    socket.on('end', () => advance(true));
    socket.on('error', (error) => advance(true, error.message));
    socket.on('close', () => advance(true));
  });
}

/** A kept connection that ends without a byte may have been closed before it read the request: a new one decides. */
function isUnread([first]: readonly Reply[]): boolean {
  return first?.kind === 'closed' || (first?.kind === 'broken' && first.received === '' && first.end === 'closed');
}

/**
 * Whether an answer breaks off in the middle. Traefik without any plugin does that to one in thousands whose backend
 * answers at once to the last byte of a body: Go's server closes the body while its client still looks for the end of it.
 * A proxy that means it does it again.
 */
function isTorn(replies: readonly Reply[]): boolean {
  const last = replies.at(-1);
  return last?.kind === 'broken' && last.received !== '' && last.end === 'closed';
}

export function openConnection({ host, port }: Endpoint): RawConnection {
  let socket: Socket | undefined;
  const once = async (exchange: Exchange, isKept: boolean): Promise<readonly Reply[]> => {
    socket = isKept && socket ? socket : connect({ host, port, noDelay: true });
    const replies = readReplies(socket, exchange);
    socket.write(exchange.bytes);
    return replies;
  };
  return {
    send: async (exchange, fresh) => {
      const isKept = !fresh && socket !== undefined && !socket.destroyed && socket.readyState === 'open';
      if (!isKept) socket?.destroy();
      let replies = await once(exchange, isKept);
      if (isKept && isUnread(replies)) replies = await once(exchange, false);
      return isTorn(replies) ? once(exchange, false) : replies;
    },
    close: () => socket?.destroy(),
  };
}
