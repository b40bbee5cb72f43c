/** A client for connections that wrk and iperf3 cannot make: refused or idle ones. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import process from 'node:process';

const concurrentDials = 32;

/** Prints how many connections from a refused address closed a second. */
async function countRefused(host: string, port: number, localAddress: string, seconds: number): Promise<void> {
  const end = Date.now() + seconds * 1000;
  let count = 0;
  const one = async (): Promise<void> => {
    while (Date.now() < end) {
      const socket = connect({ port, host, localAddress });
      socket.on('error', () => {}).resume(); // the close event counts the connection
      await new Promise((resolve) => socket.once('close', resolve));
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrentDials }, one));
  process.stdout.write(String(count / seconds));
}

/** Number of addresses of idle clients. Packaged configurations limit the connections of one address to 256. */
const idleAddresses = 100;

/** Prints a line when all connections are open, and holds them until standard input ends. */
async function holdIdle(host: string, port: number, connections: number): Promise<void> {
  const sockets: Socket[] = [];
  while (sockets.length < connections) {
    const localAddress = `127.0.1.${1 + (sockets.length % idleAddresses)}`;
    const socket = connect({ port, host, localAddress });
    await once(socket, 'connect');
    sockets.push(socket);
    // Some relays connect to the upstream only after the client has sent a byte.
    socket.write('.');
    await once(socket, 'data');
  }
  process.stdout.write('open\n');
  await once(process.stdin.resume(), 'end');
  for (const socket of sockets) socket.destroy();
}

const [kind, host = '', port, ...rest] = process.argv.slice(2);
if (kind === 'refused') await countRefused(host, Number(port), rest[0] ?? '', Number(rest[1]));
else if (kind === 'idle') await holdIdle(host, Number(port), Number(rest[0]));
else throw new Error(`no load ${kind}`);
