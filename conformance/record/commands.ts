import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { endChild, isListening } from '../../platform/testing/child.ts';
import { until } from '../../platform/until.ts';

const patienceMs = 30_000;

/** Runs a program to its end. Ignores output and status, because refusals are recorded too. */
export async function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: 'ignore', timeout: patienceMs });
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve());
  });
}

export const certificate = (folder: string, name: string) =>
  run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', `/CN=${name}`, '-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')],
  ]);

export async function startServer<Ports extends Readonly<Record<string, number>>>(
  ports: Ports,
  program: string,
  args: readonly string[],
): Promise<{ ports: Ports; stop: () => Promise<void> }> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  for (const port of Object.values(ports)) await until(() => isListening(port), `${program} to listen`);
  return { ports, stop: () => endChild(child, 'SIGTERM') };
}

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
