/** The daemon of the soak, and what the system and its own API say of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { packageRoot } from '../../platform/assets.ts';
import { residentBytes } from '../measure.ts';
import { stop } from '../process.ts';
import { type Collected, connectInspector } from './collected.ts';

/** What it listens on; `limited` passes one connection a minute of an address, `trap` none. */
export interface SoakPorts {
  readonly echo: number;
  readonly source: number;
  readonly limited: number;
  readonly trap: number;
}

interface Fill {
  readonly entries: number;
  readonly capacity: number;
}

/** What is used here of GET /stats. */
interface Stats {
  readonly tables: Readonly<Record<string, Fill>>;
}

export interface SoakDaemon {
  /** Bytes of memory that it has in use now, garbage and all; Linux, proc(5). */
  readonly memory: () => number;
  /** The same without garbage. */
  readonly collected: () => Promise<Collected>;
  readonly descriptors: () => number;
  readonly stats: () => Promise<Stats>;
  readonly stop: () => Promise<void>;
}

/** Both ends of this many fit into 20,000 descriptors, with those that are kept free. */
const mostConnections = 9700;

const configuration = (folder: string, ports: SoakPorts, upstream: { echo: number; source: number }): string => `
version: 1
global:
  log_level: warn
  log_file: ${folder}/audit.jsonl
  data_dir: ${folder}/data
  max_connections: ${mostConnections}
  never_ban: []
bans: {kernel: "off"}
api: {listen: "", socket: ${folder}/api.sock}
services:
  echo: {listen: "127.0.0.1:${ports.echo}", upstream: "127.0.0.1:${upstream.echo}"}
  source: {listen: "127.0.0.1:${ports.source}", upstream: "127.0.0.1:${upstream.source}"}
  limited:
    listen: "127.0.0.1:${ports.limited}"
    upstream: "127.0.0.1:${upstream.echo}"
    protocol: tls
    rate_limit: {connections_per_minute: 1, burst: 1}
port_scan: {listen: ["127.0.0.1:${ports.trap}"], threshold: 3, window: 10m}
`;

/** A request that takes longer than the API waits for its head, on a machine that does much else, is sent again. */
async function statsOf(socketPath: string): Promise<Stats> {
  for (let tries = 10; ; tries -= 1) {
    const [response] = await once(get({ socketPath, path: '/stats', agent: false }), 'response');
    const answer = (await json(response)) as Stats;
    if (response.statusCode === 200) return answer;
    if (tries === 0) throw new Error(`GET /stats: ${JSON.stringify(answer)}`);
  }
}

function measured({ pid = 0 }: ChildProcess, socketPath: string): Omit<SoakDaemon, 'collected' | 'stop'> {
  return {
    memory: () => residentBytes(pid),
    descriptors: () => readdirSync(`/proc/${pid}/fd`).length,
    stats: () => statsOf(socketPath),
  };
}

/** Where its inspector is, once it says that it is ready. What else it says is passed on. */
async function ready(child: ChildProcess): Promise<string> {
  let inspector = '';
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
    inspector ||= /ws:\S+/.exec(line)?.[0] ?? '';
    if (line.startsWith('tcp-guard: ready')) return inspector;
    if (inspector === '') process.stderr.write(`${line}\n`);
  }
  throw new Error('the daemon did not start');
}

export async function startSoakDaemon(
  folder: string,
  ports: SoakPorts,
  upstream: { echo: number; source: number },
): Promise<SoakDaemon> {
  const file = join(folder, 'tcp-guard.yaml');
  writeFileSync(file, configuration(folder, ports, upstream));
  const program = join(packageRoot, 'dist/bin/tcp-guard.js');
  const args = ['--inspect=127.0.0.1:0', program, '-c', file];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const inspector = await ready(child);
  child.stderr.pipe(process.stderr);
  return {
    ...measured(child, join(folder, 'api.sock')),
    collected: await connectInspector(inspector),
    stop: () => stop(child),
  };
}
