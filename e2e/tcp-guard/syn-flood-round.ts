/**
 * 20,000 SYN packets from forged addresses, and a benign client, in a network namespace. Prints the results as JSON.
 */
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { address, connectNamespace, disconnectNamespace, flood } from './forged.ts';
import { startGuard } from './process.ts';

export interface FloodRound {
  /** Number of SYN packets that the kernel answered with a cookie, because its queue was full. */
  readonly cookies: number;
  readonly visits: number;
  readonly served: number;
  readonly health: string;
  /** Addresses of clients that the daemon recorded. */
  readonly clients: readonly string[];
}

const [port, upstream] = [7000, 7001];
const synCount = 20_000;
const greeting = 'served\n';

/** Reads a counter of this network namespace. */
function kernelCounter(name: string): number {
  const [names = '', values = ''] = readFileSync('/proc/self/net/netstat', 'utf8').split('\n');
  return Number(values.split(' ')[names.split(' ').indexOf(name)]);
}

async function visit(): Promise<boolean> {
  const socket = connect({ host: address, port, timeout: 60_000 });
  socket.on('timeout', () => socket.destroy(new Error('no answer')));
  return (await text(socket).catch(() => '')) === greeting;
}

connectNamespace();
const cleanups: (() => unknown)[] = [];
const service = createServer((socket) => socket.on('error', () => {}).end(greeting)).listen(upstream, '127.0.0.1');
const guard = await startGuard(
  { after: (clean) => void cleanups.push(clean as () => unknown) },
  { services: { greeter: { listen: `${address}:${port}`, upstream: `127.0.0.1:${upstream}`, protocol: 'generic' } } },
);
let isOver = false;
const floodEnd = flood(port, synCount, ['--rand-source']).then(() => {
  isOver = true;
});
let [visits, served] = [0, 0];
while (!isOver) {
  visits += 1;
  if (await visit()) served += 1;
}
await floodEnd;
const floodRound: FloodRound = {
  cookies: kernelCounter('SyncookiesSent'),
  visits,
  served,
  health: (await guard.ask('GET', '/health')).body,
  clients: [...new Set(guard.events().flatMap(({ client_ip }) => client_ip ?? []))],
};
for (const clean of cleanups) await clean();
service.close();
disconnectNamespace();
process.stdout.write(`${JSON.stringify(floodRound)}\n`);
