/**
 * Client and upstream of random connections: `ends.js <seed>`. Prints the port of the upstream. Each line `<port>
 * <seconds> <most>` of standard input runs connections; their results are printed.
 */
import process from 'node:process';
import { createInterface } from 'node:readline';
import { RandomConnections } from '../../../daemon/plane/testing/random-connections.ts';

const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

const connections = await RandomConnections.open(Number(process.argv[2]));
printJson([connections.upstreamPort]);
for await (const line of createInterface({ input: process.stdin })) {
  const [port = 0, seconds = 0, most = 0] = line.split(' ').map(Number);
  const end = performance.now() + seconds * 1000;
  printJson(await connections.run(port, (begun) => begun >= most || performance.now() > end));
}
connections.close();
