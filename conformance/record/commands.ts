/** Runs the programs of a recording. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

const patienceMs = 30_000;

/** Runs a program to its end. Ignores its output and status, because refusals are recorded too. */
export async function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: 'ignore', timeout: patienceMs });
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve());
  });
}

export const startProgram = (command: string, args: readonly string[]): ChildProcess =>
  spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });

/** Terminates a started program and waits for its end. */
export async function terminate(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  child.kill();
  await ended;
}

export async function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const listenTries = 100;
const pauseMs = 100;

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** Creates a key and a certificate as `key.pem` and `cert.pem` in `folder`. */
export const certificate = (folder: string, name: string) =>
  run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', `/CN=${name}`, '-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')],
  ]);

/** Waits until a server listens on a loopback port. */
export async function waitUntilListening(port: number): Promise<void> {
  for (let left = listenTries; left > 0; left -= 1) {
    if (await isOpen(port)) return;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`no server listens on port ${port}`);
}

/** Opens a connection on which neither side sends anything. */
export async function openIdleConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.resume().on('error', () => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/**
 * Waits until the server has sent the text that a line's pattern matches, then sends the line. An empty pattern waits
 * for nothing. Closes the connection after the last line.
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

/**
 * Simulates a client that disconnects during a conversation. It connects through a relay. When the server sends for the
 * `turn`th time, the relay closes both sides instead of forwarding those bytes.
 */
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
