/** Runs the programs that make load: wrk, iperf3, and client.ts for what they cannot make. */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../../../platform/assets.ts';
import type { Peer } from './peers.ts';
import { host, refusedAddress } from './ports.ts';
import { memoryOf, onProcessor, startPinned } from './programs.ts';

/** Seconds of one round. There are about 300 rounds, which must take at most ten minutes. */
const seconds = 1;
/** Time limit of a round. Opening 6,000 connections takes a few seconds on a quiet machine. */
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
  /** The number of requests, connections or gigabytes, which the CPU time is divided by. */
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

/** Retries while the server of iperf3 is busy. It runs one test at a time, and a test lasts until the relay closes its connection. */
const [busyTries, busyWaitMs] = [50, 100];

/** Runs iperf3. Returns the rate in gigabits a second and the count in gigabytes. */
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

/** Connects from a refused address. Counts the connections that the relay closed or, if the kernel drops packets, the attempts. */
export async function countRefusals(peer: Peer): Promise<Counted> {
  const to = [host, String(peer.ports.web), refusedAddress, String(seconds)];
  const kind = peer.isSilent ? 'dropped' : 'refused';
  const [program, ...args] = onProcessor(peer.loadOn, [process.execPath, clientProgram, kind, ...to]);
  const rate = Number(execFileSync(program, args, { encoding: 'utf8', timeout: patienceMs }));
  return { rate, count: rate * seconds };
}

/** Number of connections that are open at the first reading of memory, and of those that are opened before the second. */
const [firstConnections, addedConnections] = [2000, 6000];
export const idleConnections = firstConnections + addedConnections;

/** Opens idle connections. Returns a function that closes them. */
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

/** Returns the bytes of memory that a relay needs for each further idle connection. */
export async function idleBytes(peer: Peer): Promise<number> {
  const releaseFirst = await holdConnections(peer, firstConnections); // not measured: the relay allocates memory that it needs only once
  const before = memoryOf(peer.child);
  const release = await holdConnections(peer, addedConnections);
  const grown = memoryOf(peer.child) - before;
  await Promise.all([release(), releaseFirst()]);
  return grown / addedConnections;
}
