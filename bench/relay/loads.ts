/** Kinds of load, each with the tool that people know: wrk for connections and small messages, iperf3 for bulk. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../../platform/assets.ts';
import { residentBytes } from '../measure.ts';
import { type Peer, pinned, refused } from './peers.ts';

const seconds = 3;
const clientProgram = join(packageRoot, 'dist/bench/relay/client.js');

function load({ loadOn }: Peer, ...command: readonly string[]): string {
  const { stdout, error } = spawnSync('taskset', ['-c', loadOn, ...command], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (error) throw error;
  return stdout;
}

function wrk(peer: Peer, connections: number, ...headers: readonly string[]): number {
  const output = load(
    peer,
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    ...headers,
    `http://127.0.0.1:${peer.ports.web}/`,
  );
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
  if (!rate || /Non-2xx/.test(output)) throw new Error(`wrk: ${output}`);
  return rate;
}

/** New connections a second, 32 at once: an HTTP request each. */
export const newConnections = (peer: Peer): number => wrk(peer, 32, '-H', 'Connection: close');

/** Small messages there and back a second, over 64 kept connections. */
export const roundTrips = (peer: Peer): number => wrk(peer, 64);

interface Bulk {
  readonly error?: string;
  readonly end: { readonly sum_received?: { readonly bits_per_second: number } };
}

/** The server of iperf3 takes one test at a time, and a relay ends a test a moment after its client. */
const [busyTries, busyWaitMs] = [50, 100];

/** Gigabits a second over 8 connections, upwards. */
export async function bulk(peer: Peer): Promise<number> {
  const command = ['iperf3', '-c', '127.0.0.1', '-p', String(peer.ports.bulk), '-P8', `-t${seconds}`, '-J'];
  for (let tries = 1; ; tries += 1) {
    const { error, end } = JSON.parse(load(peer, ...command)) as Bulk;
    if (end.sum_received) return end.sum_received.bits_per_second / 1e9;
    if (tries === busyTries) throw new Error(`iperf3: ${error}`);
    await sleep(busyWaitMs);
  }
}

/** The client of our own: what it prints when it ends. */
async function client({ loadOn }: Peer, ...args: readonly string[]): Promise<number> {
  const child = pinned(loadOn, process.execPath, clientProgram, ...args);
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`the client ended with status ${status}`);
  return Number(text);
}

/** Connections of a refused address that are ended a second, 32 at once. */
export const refusals = (peer: Peer): Promise<number> =>
  client(peer, 'refused', String(peer.ports.web), refused, String(seconds));

export const idleConnections = 4000;

/** Bytes of memory of the relay for each connection that is open and says nothing. */
export async function idleBytes({ ports, child, loadOn }: Peer): Promise<number> {
  const pid = child?.pid ?? 0;
  const before = residentBytes(pid);
  const held = ['idle', String(ports.idle), String(idleConnections)];
  const holder = pinned(loadOn, process.execPath, clientProgram, ...held);
  await once(holder.stdout as NodeJS.ReadableStream, 'data');
  const grown = residentBytes(pid) - before;
  holder.stdin?.end();
  await once(holder, 'close');
  return grown / idleConnections;
}
