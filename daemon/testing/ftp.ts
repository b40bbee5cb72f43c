/** For tests: an FTP server whose data connections echo, and a client. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { type Started, startUpstream } from './daemon.ts';

export interface FtpServer {
  readonly port: number;
  /** The announced data ports, in order. Each accepts any number of connections. */
  readonly dataPorts: readonly number[];
}

const lineEndForm = /\r?\n/;

/** Calls back with each line. */
function onLine(socket: Socket, line: (text: string) => void): void {
  let rest = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    const lines = (rest + chunk).split(lineEndForm);
    rest = lines.pop() ?? '';
    lines.forEach(line);
  });
}

async function openDataPort(t: Pick<TestContext, 'after'>, sockets: Set<Socket>): Promise<number> {
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  return (server.address() as { port: number }).port;
}

export async function ftpServer(t: TestContext): Promise<FtpServer> {
  const dataPorts: number[] = [];
  const sockets = new Set<Socket>();
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const replies: Readonly<Record<string, (port: number) => string>> = {
    PASV: (port) => `227 Entering Passive Mode (127,0,0,1,${port >> 8},${port & 255}).`,
    EPSV: (port) => `229 Entering Extended Passive Mode (|||${port}|)`,
  };
  const { port } = await startUpstream(t, (control) => {
    control.on('end', () => control.end()).write('220 ready\r\n');
    onLine(control, async (line) => {
      const reply = replies[line];
      if (!reply) return void control.write('200 ok\r\n');
      const opened = await openDataPort(t, sockets);
      dataPorts.push(opened);
      control.write(`${reply(opened)}\r\n`);
    });
  });
  return { port, dataPorts };
}

export interface FtpClient {
  readonly socket: Socket;
  /** Sends a command. Resolves with the next reply. */
  readonly ask: (command: string) => Promise<string>;
  /** Requests a data port with PASV or EPSV. Resolves with the address and the port of the reply. */
  readonly passive: (command: 'PASV' | 'EPSV') => Promise<{ readonly host: string; readonly port: number }>;
}

function parse(reply: string): { host: string; port: number } {
  const [, host = '', high = 0, low = 0] = /^227 .*?\((\d+,\d+,\d+,\d+),(\d+),(\d+)\)/.exec(reply) ?? [];
  const extended = /^229 .*\(\|\|\|(\d+)\|\)/.exec(reply)?.[1];
  return { host: host.replaceAll(',', '.'), port: Number(extended ?? Number(high) * 256 + Number(low)) };
}

/** Connects to a service and resolves after the greeting. */
export async function ftpClient(dial: Started['dial'], options: Parameters<Started['dial']>[1] = {}, header = '') {
  const socket = dial('ftp', options);
  const replies: string[] = [];
  const waiting: ((reply: string) => void)[] = [];
  onLine(socket, (line) => {
    const next = waiting.shift();
    if (next) next(line);
    else replies.push(line);
  });
  const reply = () =>
    new Promise<string>((resolve) => {
      const known = replies.shift();
      if (known === undefined) waiting.push(resolve);
      else resolve(known);
    });
  socket.write(header);
  await reply();
  const ask = (command: string) => {
    socket.write(`${command}\r\n`);
    return reply();
  };
  const passive: FtpClient['passive'] = async (command) => parse(await ask(command));
  return { socket, ask, passive } satisfies FtpClient;
}

/** Opens a data connection from 127.0.0.1 or another address. */
export const dialData = (port: number, localAddress = '127.0.0.1'): Socket =>
  connect({ host: '127.0.0.1', port, localAddress, allowHalfOpen: true }).on('error', () => {});
