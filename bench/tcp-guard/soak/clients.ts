/**
 * Clients that load a daemon: `slow <port> <count>`, `flood <seconds> <addresses> <port>...`, `hold <number of the
 * attack> <port> <connections> <one | many>`, and `random <seed>`.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientBytes, type HoldingAttack, holdingAttacks } from '../../../daemon/inspectors/testing/holding.ts';
import { RandomConnections } from '../../../daemon/plane/testing/random-connections.ts';

/** Returns address number `index` of 127.0.0.0/8, never 127.0.0.1. */
const addressOf = (index: number): string => `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;

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

const settleMs = 1000;

/**
 * Makes an inspector hold as much as possible, from one address or from one each. Prints how many connections are open
 * when all bytes are sent, and ends with standard input.
 */
async function hold(attack: HoldingAttack, port: number, count: number, isOne: boolean): Promise<void> {
  const bytes = clientBytes(attack);
  const sockets: Socket[] = [];
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      const socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(isOne ? 0 : next) });
      sockets.push(socket);
      socket.on('error', () => {}).resume();
      // Resolves when the bytes are sent, or the daemon has closed the connection.
      await new Promise<void>((resolve) => {
        socket.on('close', () => resolve()).on('connect', () => socket.write(bytes, () => resolve()));
      });
    }
  };
  await Promise.all(Array.from({ length: concurrentDials }, one));
  await sleep(settleMs);
  printJson({ open: sockets.filter(({ destroyed }) => !destroyed).length });
  process.stdin.resume().on('end', () => process.exit());
}

/**
 * Client and upstream of random connections. Prints the port of the upstream. Each line `<port> <seconds> <most>` of
 * standard input runs connections; their results are printed.
 */
async function runRandom(seed: number): Promise<void> {
  const connections = await RandomConnections.open(seed);
  printJson([connections.upstreamPort]);
  for await (const line of createInterface({ input: process.stdin })) {
    const [port = 0, seconds = 0, most = 0] = line.split(' ').map(Number);
    const end = performance.now() + seconds * 1000;
    printJson(await connections.run(port, (begun) => begun >= most || performance.now() > end));
  }
  connections.close();
}

const [kind, ...rest] = process.argv.slice(2);
const [first = 0, second = 0, ...others] = rest.map(Number);
if (kind === 'slow') await readSlowly(first, second);
else if (kind === 'flood') await flood(first, second, others);
else if (kind === 'hold') await hold(holdingAttacks[first] as HoldingAttack, second, others[0] ?? 0, rest[3] === 'one');
else if (kind === 'random') await runRandom(first);
else throw new Error(`no clients ${kind}`);
