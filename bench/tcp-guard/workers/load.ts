/** Clients and their upstream in one process. Reports how many connections were served. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import process from 'node:process';

export interface Task {
  readonly port: number;
  readonly seconds: number;
}

/** 32 for each worker. With fewer, workers often wait and take more time for each connection. */
const concurrentClients = 64;

const server = createServer((socket) => socket.on('error', () => {}).pipe(socket));

/** Returns whether the connection was served. */
async function visit(port: number, address: number): Promise<boolean> {
  const localAddress = `127.0.${1 + (address & 63)}.${1 + ((address >> 6) % 250)}`;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  let isServed = false;
  socket
    .on('error', () => {})
    .once('data', () => {
      isServed = true;
      socket.end();
    });
  socket.write('x');
  await once(socket, 'close').catch(() => {}); // a reset connection does not count as served
  return isServed;
}

async function run({ port, seconds }: Task): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const client = async (index: number) => {
    for (let visits = 0; performance.now() < end; visits += 1)
      if (await visit(port, index + visits * concurrentClients)) count += 1;
  };
  await Promise.all(Array.from({ length: concurrentClients }, (_, index) => client(index)));
  return count;
}

process.on('message', async (task: Task) => process.send?.(await run(task)));
await once(server.listen(0, '127.0.0.1'), 'listening');
process.send?.((server.address() as AddressInfo).port);
