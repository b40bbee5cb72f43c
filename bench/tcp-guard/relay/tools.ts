/** The programs that make load: wrk, iperf3, and client.ts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../../../platform/assets.ts';
import type { Peer } from './peers.ts';
import { host, refusedAddress } from './ports.ts';
import { memoryOf, onProcessor, startPinned } from './programs.ts';

/** Seconds of one measurement, because about 300 of them must take at most ten minutes. */
const seconds = 1;
/** Milliseconds for one program. Opening 6,000 connections takes a few seconds on a quiet machine. */
const patienceMs = 30_000;
const clientProgram = join(packageRoot, 'dist/bench/tcp-guard/relay/client.js');

function runLoad({ loadOn }: Peer, ...command: readonly string[]): string {
  const [program, ...args] = onProcessor(loadOn, command);
  const { stdout, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 26, timeout: patienceMs });
  if (error) throw error;
  return stdout;
}

export interface Counted {
  readonly rate: number;
  /** The divisor of the CPU time: requests, connections or gigabytes. */
  readonly count: number;
}

/** Runs `wrk` with one thread. A request without further headers has 64 bytes. */
export function wrk(peer: Peer, connections: number, ...headers: readonly string[]): Counted {
  const server = `${host}:${peer.ports.web}`;
  const padding = 'X: '.padEnd(64 - `GET / HTTP/1.1\r\nHost: ${server}\r\n\r\n\r\n`.length, '.');
  const sent = [padding, ...headers].flatMap((header) => ['-H', header]);
  const output = runLoad(peer, 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, ...sent, `http://${server}/`);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
  if (!rate || /Non-2xx/.test(output)) throw new Error(`wrk: ${output}`);
  return { rate, count: Number(/(\d+) requests in/.exec(output)?.[1]) };
}

interface Iperf {
  readonly error?: string;
  readonly end: { readonly sum_received?: { readonly bits_per_second: number; readonly bytes: number } };
}

/**
 * Number of tries while iperf3 is busy, and milliseconds between them. iperf3 runs one test at a time, until the relay
 * closes the connection of the test.
 */
const [busyTries, busyWaitMs] = [50, 100];

/** Returns gigabits a second, and gigabytes. */
export async function iperf3(peer: Peer, streams: number, ...options: readonly string[]): Promise<Counted> {
  const address = ['-c', host, '-p', String(peer.ports.bulk)];
  for (let tries = 1; ; tries += 1) {
    const output = runLoad(peer, 'iperf3', ...address, `-P${streams}`, `-t${seconds}`, '-J', ...options);
    const { error, end } = JSON.parse(output) as Iperf;
    if (end.sum_received) return { rate: end.sum_received.bits_per_second / 1e9, count: end.sum_received.bytes / 1e9 };
    if (tries === busyTries) throw new Error(`iperf3: ${error}`);
    await sleep(busyWaitMs);
  }
}

/** Counts the connections that the relay closed. */
export async function countRefusals(peer: Peer): Promise<Counted> {
  const to = [host, String(peer.ports.web), refusedAddress, String(seconds)];
  const [program, ...args] = onProcessor(peer.loadOn, [process.execPath, clientProgram, 'refused', ...to]);
  const rate = Number(execFileSync(program, args, { encoding: 'utf8', timeout: patienceMs }));
  return { rate, count: rate * seconds };
}

/** Number of connections that are opened before the first reading of memory, and between the two readings. */
const [firstConnections, addedConnections] = [2000, 6000];
export const idleConnections = firstConnections + addedConnections;

/** Returns a function that closes the connections. */
async function holdConnections({ ports, loadOn }: Peer, connections: number): Promise<() => Promise<void>> {
  const command = [process.execPath, clientProgram, 'idle', host, String(ports.idle), String(connections)];
  const holder = startPinned(loadOn, ...command);
  const signal = AbortSignal.timeout(patienceMs);
  await once(holder.stdout as NodeJS.ReadableStream, 'data', { signal });
  return async () => {
    holder.stdin?.end();
    await once(holder, 'close');
  };
}

export async function idleBytes(peer: Peer): Promise<number> {
  // The first connections are not measured, because with them the relay allocates memory that it needs only once.
  const releaseFirst = await holdConnections(peer, firstConnections);
  const before = memoryOf(peer.child);
  const release = await holdConnections(peer, addedConnections);
  const grown = memoryOf(peer.child) - before;
  await Promise.all([release(), releaseFirst()]);
  return grown / addedConnections;
}
