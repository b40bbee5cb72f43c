import type { ClientRequest, IncomingMessage } from 'node:http';

/**
 * Ends a request, and resolves with its response. Rejects for a response that switches protocols: Node reports it neither as a
 * response nor as an error, so that a caller would wait forever.
 */
export function responseTo(outgoing: ClientRequest, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject);
    outgoing.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      reject(new Error(`status ${statusCode}`));
    });
    outgoing.end(body);
  });
}
