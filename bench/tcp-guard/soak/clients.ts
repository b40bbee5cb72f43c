/** Clients that load a daemon: `slow <port> <count>`, and `flood <seconds> <addresses> <port>...`. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import process from 'node:process';
import { addressOf } from './addresses.ts';

const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

const pauseMs = 1000;

/** Starts readers that each read one piece a second, until standard input ends. */
async function readSlowly(port: number, count: number): Promise<void> {
  const sockets: Socket[] = [];
  let pieces = 0;
  while (sockets.length < count) {
    const socket = connect({ port, host: '127.0.0.1' });
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.on('data', () => {
      pieces += 1;
      socket.pause();
      setTimeout(() => {
        socket.write('.');
        socket.resume();
      }, pauseMs);
    });
  }
  printJson({ held: sockets.length });
  await once(process.stdin.resume(), 'end');
  printJson({ held: sockets.filter((socket) => socket.readable).length, pieces });
  process.exit();
}

const giveUpMs = 10_000;

async function probe(port: number, localAddress: string): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {}).on('connect', () => socket.end());
  socket.setTimeout(giveUpMs, () => socket.destroy()).resume();
  await new Promise((resolve) => socket.once('close', resolve));
}

const concurrentDials = 64;

/** Each address connects to each port once. Then 500 addresses probe the last port repeatedly. Ends after `seconds`. */
async function flood(seconds: number, addresses: number, ports: readonly number[]): Promise<void> {
  const start = Date.now();
  const total = addresses * ports.length;
  const again = 2000;
  const trap = ports.at(-1) as number;
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < total + again && Date.now() - start < seconds * 1000) {
      const index = next;
      next += 1;
      const port = index < total ? (ports[index % ports.length] as number) : trap;
      await probe(port, addressOf(index < total ? Math.floor(index / ports.length) : index % (again / 4)));
    }
  };
  await Promise.all(Array.from({ length: concurrentDials }, one));
  const reached = Math.min(addresses, Math.floor(next / ports.length));
  printJson({ connections: next, addresses: reached, seconds: (Date.now() - start) / 1000 });
}

const [kind, ...rest] = process.argv.slice(2);
const [first = 0, second = 0, ...ports] = rest.map(Number);
if (kind === 'slow') await readSlowly(first, second);
else if (kind === 'flood') await flood(first, second, ports);
else throw new Error(`no clients ${kind}`);
