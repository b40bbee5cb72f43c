/** The relays that are compared, on one processor, in front of the same upstreams on the other. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { listens } from '../process.ts';

/** Processors of the relay, and of the load with its upstreams; and of both, where a relay is to use several. */
export const relayProcessor = '0';
export const loadProcessor = '1';
const bothProcessors = '0,1';

/** An address that every relay refuses: one of ten thousand. */
export const refused = '127.9.9.9';
const others = Array.from({ length: 10_000 }, (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);

/** What is listened on, by the kind of load, and what it leads to. */
export interface Ports {
  readonly web: number;
  readonly bulk: number;
  readonly idle: number;
}

export interface Peer {
  readonly name: string;
  readonly ports: Ports;
  /** Undefined: there is no relay, the load goes straight to the upstreams. */
  readonly child: ChildProcess | undefined;
  /** Processors that its load runs on. */
  readonly loadOn: string;
}

export function pinned(processor: string, program: string, ...args: readonly string[]): ChildProcess {
  return spawn('taskset', ['-c', processor, program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

const pairs = (ports: Ports, upstreams: Ports): [keyof Ports, number, number][] =>
  (Object.keys(ports) as (keyof Ports)[]).map((name) => [name, ports[name], upstreams[name]]);

function haproxyConfig(folder: string, ports: Ports, upstreams: Ports): string {
  const list = join(folder, 'refused');
  writeFileSync(list, [...others, refused].join('\n'));
  const listeners = pairs(ports, upstreams).map(
    ([name, port, upstream]) => `
listen ${name}
  bind 127.0.0.1:${port}
  tcp-request connection reject if { src -f ${list} }
  server upstream 127.0.0.1:${upstream}`,
  );
  return `global
  nbthread 1
  maxconn 9000
defaults
  mode tcp
  maxconn 9000
  timeout connect 5s
  timeout client 10m
  timeout server 10m
${listeners.join('\n')}
`;
}

function guardConfig(folder: string, ports: Ports, upstreams: Ports, workers: number): string {
  const services = pairs(ports, upstreams).map(
    ([name, port, upstream]) => `
  ${name}:
    listen: "127.0.0.1:${port}"
    upstream: 127.0.0.1:${upstream}
    ip_filter: {deny: [${[...others, refused].join(', ')}]}
    response: {mode: reject}`,
  );
  return `version: 1
global: {log_level: error, log_file: ${folder}/audit.jsonl, data_dir: ${folder}/data, max_connections: 9000, workers: ${workers}}
api: {listen: "", socket: ${folder}/api.sock}
services:${services.join('')}
`;
}

export async function startHaproxy(folder: string, ports: Ports, upstreams: Ports): Promise<Peer> {
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, haproxyConfig(folder, ports, upstreams));
  const child = pinned(relayProcessor, 'haproxy', '-q', '-db', '-f', file);
  await listens(ports.web, child);
  return { name: 'HAProxy', ports, child, loadOn: loadProcessor };
}

/** A relay without a guard: what node:net itself costs. */
export async function startBare(ports: Ports, upstreams: Ports): Promise<Peer> {
  const program = join(packageRoot, 'dist/bench/relay/bare.js');
  const relayed = pairs(ports, upstreams).map(([, port, upstream]) => `${port}:${upstream}`);
  const child = pinned(relayProcessor, process.execPath, program, ...relayed);
  await listens(ports.web, child);
  return { name: 'bare relay', ports, child, loadOn: loadProcessor };
}

async function start(
  folder: string,
  ports: Ports,
  upstreams: Ports,
  workers: number,
  processors: string,
): Promise<ChildProcess> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'tcp-guard.yaml');
  writeFileSync(file, guardConfig(folder, ports, upstreams, workers));
  const program = join(packageRoot, 'dist/bin/tcp-guard.js');
  const child = pinned(processors, process.execPath, program, '-c', file);
  await listens(ports.web, child);
  return child;
}

export async function startGuard(folder: string, ports: Ports, upstreams: Ports): Promise<Peer> {
  const child = await start(folder, ports, upstreams, 1, relayProcessor);
  return { name: 'tcp-guard', ports, child, loadOn: loadProcessor };
}

/** `workers` workers on both processors, which the load shares. */
export async function startSpread(folder: string, ports: Ports, upstreams: Ports, workers: number): Promise<Peer> {
  const child = await start(folder, ports, upstreams, workers, bothProcessors);
  return { name: `${workers} workers`, ports, child, loadOn: bothProcessors };
}
