/** The network of the benchmark: relays are reached over the loopback, or over a veth pair in another network namespace. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

export interface Network {
  readonly name: string;
  /** The address that relays listen on. */
  readonly relay: string;
  /** The address of the upstreams, and of the load. */
  readonly upstream: string;
  /** A second address that the load connects from. Every relay refuses it. */
  readonly refused: string;
  /** Prefix of a command that makes it run in the network namespace of the relays. */
  readonly inside: readonly string[];
  readonly close: () => void;
}

/** The required congestion control. Other algorithms delay packets on the loopback and would hide the speed of the relay. */
const algorithm = 'reno';

/** @throws Error when the network namespace of this process has another congestion control */
export function checkAlgorithm(): void {
  const current = readFileSync('/proc/sys/net/ipv4/tcp_congestion_control', 'utf8').trim();
  if (current !== algorithm) throw new Error(`congestion control is ${current} instead of ${algorithm}`);
}

export async function loopbackNetwork(): Promise<Network> {
  checkAlgorithm();
  const addresses = { relay: '127.0.0.1', upstream: '127.0.0.1', refused: '127.9.9.9' };
  return { name: 'loopback', ...addresses, inside: [], close: () => {} };
}

/** Addresses for documentation (RFC 5737). */
const [relayAddress, upstreamAddress, refusedAddress] = ['192.0.2.1', '192.0.2.2', '192.0.2.9'];
const mtu = '1500';

/** Makes a second network namespace. A new namespace has the machine's congestion control, so its routes select another one. */
export async function vethPair(): Promise<Network> {
  checkAlgorithm();
  const holder = spawn('unshare', ['--net', 'sh', '-c', 'echo ready; exec sleep infinity']);
  await once(holder.stdout, 'data');
  const inside = ['nsenter', `--net=/proc/${holder.pid}/ns/net`];
  const run = (...[program = '', ...args]: readonly string[]) => execFileSync(program, args);
  run(...`ip link add load mtu ${mtu} type veth peer name relay mtu ${mtu} netns ${holder.pid}`.split(' '));
  for (const [prefix, device, addresses] of [
    [[], 'load', [upstreamAddress, refusedAddress]],
    [inside, 'relay', [relayAddress]],
  ] as const) {
    for (const address of addresses) run(...prefix, 'ip', 'address', 'add', `${address}/24`, 'dev', device);
    run(...prefix, 'ip', 'link', 'set', device, 'up');
    run(...prefix, ...`ip route change 192.0.2.0/24 dev ${device} src ${addresses[0]} congctl ${algorithm}`.split(' '));
  }
  run(...inside, 'ip', 'link', 'set', 'lo', 'up');
  const addresses = { relay: relayAddress, upstream: upstreamAddress, refused: refusedAddress };
  return { name: `veth, MTU ${mtu}`, ...addresses, inside, close: () => void holder.kill('SIGKILL') };
}
