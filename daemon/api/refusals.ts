/** Refuses what Node's parser does not give to the dispatcher: invalid and late requests, and CONNECT. */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiErrorCode } from '../../contract/api/errors.ts';
import { ApiFailure } from './failure.ts';

/** The API errors for errors of Node's parser and timers. All others become `bad_request`. */
const codes: Readonly<Record<string, ApiErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'too_large',
};

function sendRefusal(code: ApiErrorCode, socket: Duplex): void {
  const { status, body } = new ApiFailure(code);
  const text = `${JSON.stringify(body)}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The response to the request before. */
  readonly before: ServerResponse | undefined;
}

/**
 * What becomes of a connection whose bytes cannot be read: `refuse` them with a response; `wait` for the responses to complete requests
 * before them, as a client takes the first response for that of its first request; `cut` it, where a response was sent already,
 * or is being sent.
 */
function endingOf({ request, response, before }: Exchange): 'refuse' | 'wait' | 'cut' {
  if (request.complete) return response.writableFinished ? 'refuse' : response.headersSent ? 'cut' : 'wait';
  if (response.headersSent) return 'cut';
  return before && !before.writableFinished ? 'wait' : 'refuse';
}

export interface Refusals {
  readonly refuseRequest: (error: NodeJS.ErrnoException, socket: Duplex) => void;
  readonly refuseTunnel: (socket: Duplex) => void;
}

/** `tunnelMs`: the longest time until a client that sent CONNECT is disconnected. */
export function createRefusals(server: Server, tunnelMs: number): Refusals {
  const newest = new WeakMap<Duplex, Exchange>();
  /** Connections that end after a response. The parser reports each further chunk. */
  const leaving = new WeakSet<Duplex>();
  server.on('request', (request, response) =>
    newest.set(request.socket, { request, response, before: newest.get(request.socket)?.response }),
  );

  const refuseRequest = ({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void => {
    const exchange = newest.get(socket);
    const ending = exchange ? endingOf(exchange) : 'refuse';
    if (code === 'ECONNRESET' || !socket.writable || ending === 'cut') socket.destroy();
    else if (ending === 'refuse') sendRefusal(codes[code] ?? 'bad_request', socket);
    else if (!leaving.has(socket)) {
      leaving.add(socket);
      const last = exchange?.request.complete ? exchange.response : exchange?.before;
      last?.once('close', () => socket.end());
    }
  };

  /** Node releases the socket of CONNECT, so this handles its errors and ends it. */
  const refuseTunnel = (socket: Duplex): void => {
    const timer = setTimeout(() => socket.destroy(), tunnelMs);
    socket.on('error', () => {}).once('close', () => clearTimeout(timer));
    socket.once('end', () => socket.destroy()).resume();
    refuseRequest({ name: '', message: '', code: 'CONNECT' }, socket);
  };
  return { refuseRequest, refuseTunnel };
}
