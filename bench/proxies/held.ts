/** Measures Caddy while it holds scanners in a tarpit: its memory, and the latency of clean requests. */
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buildArtefact } from '../../artefacts/build.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { byLength } from '../measure/length.ts';
import { median, residentBytes } from '../measure/measure.ts';
import type { Row } from '../measure/row.ts';
import { measureUndisturbed } from '../measure/steal.ts';
import { startCaddy } from './caddy.ts';
import type { Running } from './side-by-side.ts';

const clients = 2000;
const heldSeconds = (): number => byLength(30, 10);
const requestsPerBatch = 200;
/** Megabytes that all held clients may add. docs/response-modes.md has what was measured. */
const memoryBudgetMb = 25;
const largestLatencyRatio = 1.5; // compared with the proxy before it held clients; includes the noise of the machine
const guardBlock = `guard {
	response {
		mode tarpit
		tarpit_max_duration_seconds 3600
		max_held 2048
		max_held_per_address 2048
	}
}`;

const residentMb = (pid: number): number => residentBytes(pid) / 1024 / 1024;

async function latencyMs(url: string, agent: Agent): Promise<number> {
  const start = process.hrtime.bigint();
  const request = get(url, { agent });
  const [response] = await once(request, 'response');
  await once(response.resume(), 'end');
  return Number(process.hrtime.bigint() - start) / 1e6;
}

async function latenciesOfBatch(url: string, agent: Agent): Promise<number[]> {
  const samples: number[] = [];
  for (let count = 0; count < requestsPerBatch; count++) samples.push(await latencyMs(url, agent));
  return samples;
}

/** Opens a connection that the tarpit holds. Resolves at the first byte of the response. */
async function heldClient(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /.env HTTP/1.1\r\nHost: bench\r\n\r\n');
  const [head] = await once(socket, 'data');
  if (!String(head).startsWith('HTTP/1.1 200')) throw new Error(`not held: ${String(head).split('\r\n', 1)}`);
  socket.resume();
  return socket;
}

async function measure({ url, pid }: Running) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets: Socket[] = [];
  const port = Number(new URL(url).port);
  try {
    // Warms up: the first blocked request decodes tables of the rules, which no held client adds to.
    (await heldClient(port)).destroy();
    for (let round = 0; round < 5; round++) await latenciesOfBatch(url, agent);
    const before = {
      memory: residentMb(pid),
      latency: median(await measureUndisturbed(() => latenciesOfBatch(url, agent))),
    };
    while (sockets.length < clients) sockets.push(await heldClient(port));
    const end = Date.now() + heldSeconds() * 1000;
    let memory = 0;
    const samples: number[] = [];
    while (Date.now() < end) {
      samples.push(...(await measureUndisturbed(() => latenciesOfBatch(url, agent))));
      memory = Math.max(memory, residentMb(pid));
    }
    const left = sockets.filter(({ readable }) => !readable).length;
    if (left > 0) throw new Error(`${left} of ${clients} were let go`);
    return { before, during: { memory, latency: median(samples) } };
  } finally {
    for (const socket of sockets) socket.destroy();
    agent.destroy();
  }
}

export async function benchHeld(): Promise<Row[]> {
  const folder = scratchFolder('guard-bench-');
  await using caddy = await startCaddy(await buildArtefact('caddy', {}), folder, 'held', guardBlock);
  const { before, during } = await measure(caddy);
  const grown = during.memory - before.memory;
  const ratio = before.latency / during.latency;
  return [
    {
      name: `Caddy, memory with ${clients} held in tarpit`,
      measured: `+${grown.toFixed(1)} MB`,
      against: `${before.memory.toFixed(1)} MB`,
      budget: `<= ${memoryBudgetMb} MB more`,
      holds: grown <= memoryBudgetMb,
    },
    {
      name: 'Caddy, clean latency meanwhile',
      measured: `${during.latency.toFixed(2)} ms`,
      against: `${before.latency.toFixed(2)} ms`,
      ratio,
      budget: `>= ${(1 / largestLatencyRatio).toFixed(2)} (before over meanwhile)`,
      holds: ratio >= 1 / largestLatencyRatio,
    },
  ];
}
