/** Receives the text messages of a WebSocket. The WebSocket of Node holds messages of 128 MiB. */

export interface Receiving {
  readonly signal: AbortSignal;
  /** Of a message. A larger one ends the connection. */
  readonly mostBytes: number;
  /** For the server to accept the connection. */
  readonly timeoutMs: number;
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
}

/** Ends with the connection, or with `signal`, which closes it. */
export async function receive(url: URL, receiving: Receiving): Promise<void> {
  const { signal, mostBytes, timeoutMs, onOpen, onText } = receiving;
  const { WebSocket } = await import('ws');
  if (signal.aborted) return;
  const socket = new WebSocket(url, {
    maxPayload: mostBytes,
    handshakeTimeout: timeoutMs,
    perMessageDeflate: false,
  });
  const end = () => socket.terminate();
  signal.addEventListener('abort', end, { once: true });
  socket.on('error', () => {}); // `close` follows
  socket.on('open', onOpen);
  socket.on('message', (data) => {
    if (!signal.aborted) onText(data.toString());
  });
  await new Promise((resolve) => socket.once('close', resolve));
  signal.removeEventListener('abort', end);
}
