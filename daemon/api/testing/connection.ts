/** For API tests: connections and requests as bytes. */
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A connection that collects its responses. */
export interface Line {
  readonly socket: Socket;
  readonly text: () => string;
  /** Resolves when the received text satisfies `isEnough` or the connection has ended. */
  readonly until: (isEnough: (text: string) => boolean) => Promise<string>;
  /** Resolves with everything received when the connection has ended. */
  readonly ended: () => Promise<string>;
}

export function dial(t: TestContext, to: NetConnectOpts): Line {
  const socket = connect(to);
  t.after(() => socket.destroy());
  let text = '';
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of waiting) check();
  };
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
    wake();
  });
  socket.on('error', wake).on('close', wake);
  const until = (isEnough: (text: string) => boolean) =>
    new Promise<string>((resolve) => {
      const check = () => {
        if (!isEnough(text) && !socket.closed && !socket.errored) return;
        waiting.delete(check);
        resolve(text);
      };
      waiting.add(check);
      check();
    });
  return { socket, text: () => text, until, ended: () => until(() => false) };
}

/** Sends bytes on a new connection. Resolves with everything received until the server ends it. */
export function exchange(t: TestContext, port: number, bytes: string): Promise<string> {
  const line = dial(t, { port, host: '127.0.0.1' });
  line.socket.write(bytes, 'latin1');
  return line.ended();
}

export const request = (line: string, headers: readonly string[] = [], body = ''): string =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n${body}`;

export const closeHeader = 'Connection: close';
export const jsonHeader = 'Content-Type: application/json';
