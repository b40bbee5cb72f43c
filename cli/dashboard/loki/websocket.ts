/** Receives text messages of bounded size with the package `ws`, because Node's WebSocket buffers up to 128 MiB. */

export interface Receiving {
  readonly signal: AbortSignal;
  /** Longest message. A longer one ends the connection. */
  readonly mostBytes: number;
  readonly timeoutMs: number;
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
}

/** Resolves when the connection is closed. `signal` closes it. */
export async function receiveTexts(url: URL, receiving: Receiving): Promise<void> {
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
  socket.on('error', () => {}); // the `close` event follows
  socket.on('open', onOpen);
  socket.on('message', (data) => {
    if (!signal.aborted) onText(data.toString());
  });
  await new Promise((resolve) => socket.once('close', resolve));
  signal.removeEventListener('abort', end);
}
