import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { runClient } from '../servers/running.ts';
import type { Talk } from './talks.ts';

const patienceMs = 30_000;

/** Runs a program to its end. Ignores output and status, because refusals are recorded too. */
export const run = async (program: string, args: readonly string[]): Promise<void> =>
  void (await runClient({ program, args }));

const mail = 'Subject: x\r\n\r\n.AUTH PLAIN\r\n.\r\ntext\r\n';

/** Logs in with curl and sends a mail with lines that look like a command and like the end of the mail. */
export const sendMail =
  (name: string, password: string, ...more: string[]): Talk =>
  (at, { write }) =>
    run('curl', [
      ...['-s', '-m', '20', '--mail-from', 'a@shop.example', '--mail-rcpt', 'b@mx.example'],
      ...['-T', write('message', mail), '-u', `${name}:${password}`, ...more, `smtp://127.0.0.1:${at}/laptop.example`],
    ]);

export async function openIdleConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.resume().on('error', () => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/**
 * Sends each line when the server has sent a text that its pattern matches. An empty line closes the connection.
 * Resolves when the connection is closed.
 */
export async function sendLines(
  port: number,
  lines: readonly (readonly [awaited: RegExp, line: string])[],
): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  let next = 0;
  socket.setEncoding('latin1');
  socket.setTimeout(patienceMs, () => socket.destroy());
  const advance = (text: string) => {
    received += text;
    const step = lines[next];
    if (!step?.[0].test(received)) return;
    received = '';
    next += 1;
    if (step[1] === '') socket.end();
    else socket.write(`${step[1]}\r\n`);
  };
  socket.on('connect', () => advance('')).on('data', advance);
  await new Promise<void>((resolve) => socket.on('close', () => resolve()).on('error', () => resolve()));
}

/** Simulates a client that disconnects: a relay closes both sides when the server sends for the `turn`th time. */
export async function disconnectAtTurn(
  port: number,
  turn: number,
  talk: (port: number) => Promise<void>,
): Promise<void> {
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let turnsTaken = 0;
    let isClients = true;
    client.on('data', (bytes: Buffer) => {
      isClients = true;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      if (isClients) turnsTaken += 1;
      isClients = false;
      if (turnsTaken < turn) client.write(bytes);
      else hangUp(client, upstream);
    });
    for (const socket of [client, upstream])
      for (const event of ['error', 'close']) socket.on(event, () => hangUp(client, upstream));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as { port: number };
  await talk(own);
  server.close();
}

function hangUp(...sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy();
}
