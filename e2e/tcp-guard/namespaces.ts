/** Network namespaces with clients and containers, linked to the namespace of the test, which is the host. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import type { Owner } from '../support/tmux.ts';

export const [host, guesser, other] = ['198.51.100.1', '198.51.100.7', '198.51.100.8'] as const;

export const run = (line: string, input?: string): string => {
  const [program = '', ...args] = line.split(' ');
  return execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe', ...(input !== undefined && { input }) });
};

const missing = ['/usr/sbin/nft', '/usr/bin/nsenter'].find((path) => !existsSync(path));
const isAlone = Object.keys(networkInterfaces()).join() === 'lo';
const canUnshare = spawnSync('unshare', ['-n', 'true']).status === 0;
export const skipNamespaces =
  (missing !== undefined && `${missing} is not installed`) ||
  (!isAlone && 'it needs a network namespace with nothing but a loopback: run it in the test image') ||
  (!canUnshare && 'it needs CAP_SYS_ADMIN for a second network namespace');

const reach = `
const s = require('node:net').connect({ host: process.argv[2], port: Number(process.argv[3]), localAddress: process.argv[1] });
s.setTimeout(1500).on('connect', () => process.exit(0)).on('timeout', () => process.exit(7)).on('error', () => process.exit(8));`;

export interface Namespace {
  /** The command that runs a program in the namespace. */
  readonly enter: readonly string[];
  readonly reaches: (from: string, host: string, port: number) => boolean;
}

/**
 * Makes a namespace with addresses, and links it to the host, which gets `gateway`. Addresses are in one /24, or for IPv6
 * in one /64.
 */
export async function openNamespace(
  t: Owner,
  name: string,
  gateway: string,
  addresses: readonly string[],
): Promise<Namespace> {
  const child = spawn('unshare', ['-n', 'sh', '-c', 'echo ready; exec sleep 1200'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  t.after(() => {
    child.kill('SIGKILL');
    spawnSync('ip', ['link', 'del', `to_${name}`]);
  });
  const enter = ['nsenter', '-t', `${child.pid}`, '-n'];
  const inside = (line: string) => run(`${enter.join(' ')} ${line}`);
  const withLength = (address: string) => (address.includes(':') ? `${address}/64 nodad` : `${address}/24`);
  run(`ip link add to_${name} type veth peer name uplink`);
  run(`ip link set uplink netns ${child.pid}`);
  run(`ip addr add ${withLength(gateway)} dev to_${name}`);
  run(`ip link set to_${name} up`);
  for (const address of addresses) inside(`ip addr add ${withLength(address)} dev uplink`);
  inside('ip link set uplink up');
  inside('ip link set lo up');
  return {
    enter,
    reaches: (from, to, port) =>
      spawnSync(enter[0] as string, [...enter.slice(1), process.execPath, '-e', reach, from, to, `${port}`]).status ===
      0,
  };
}

/** Serves connections on a port of a namespace: `enter` is its command, empty for the host. */
export function serveIn(t: Owner, enter: readonly string[], port: number): void {
  const code = `require('node:net').createServer((s) => s.on('error', () => {}).end()).listen(${port})`;
  const [program = '', ...args] = [...enter, process.execPath, '-e', code];
  const child = spawn(program, args, { stdio: 'ignore' });
  t.after(() => void child.kill('SIGKILL'));
}
