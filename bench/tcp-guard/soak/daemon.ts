import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlaneName } from '../../../daemon/plane/choice.ts';
import { packageRoot } from '../../../platform/assets.ts';
import { childrenOf, endChild } from '../../../platform/testing/child.ts';
import { residentBytes } from '../../measure/measure.ts';
import { type CollectedMemory, connectInspector } from './collected.ts';

interface Fill {
  readonly entries: number;
  readonly capacity: number;
}

export type Tables = Readonly<Record<string, Fill>>;

interface Stats {
  readonly tables: Tables;
}

export interface SoakDaemon {
  /** Resident bytes of the process and its workers together, including garbage. */
  readonly memory: () => number;
  /** Bytes without garbage, of the process and its workers together. */
  readonly collectMemory: () => Promise<CollectedMemory>;
  readonly descriptors: () => readonly string[];
  readonly stats: () => Promise<Stats>;
  /** Waits up to ten seconds until no connection is open. Returns how many are still open. */
  readonly waitUntilSettled: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Each connection needs two of 20,000 descriptors, and the daemon reserves some for other uses. */
export const mostConnections = 9700;

/** The limits that V8 sets in a container of 256 MiB. Without them, young objects alone take 60 MB on a large host. */
const heapFlags = ['--max-old-space-size=256', '--max-semi-space-size=2'];

export interface SoakSetting {
  readonly plane: PlaneName | 'auto';
  readonly workers: number;
  /** The sections `services` and `port_scan` of the configuration. */
  readonly services: string;
}

const configuration = (folder: string, { plane, workers, services }: SoakSetting): string => `
version: 1
global:
  log_level: warn
  log_file: ${folder}/audit.jsonl
  data_dir: ${folder}/data
  data_plane: ${plane}
  workers: ${workers}
  max_connections: ${mostConnections}
  never_ban: []
bans: {kernel: "off"}
api: {listen: "", socket: ${folder}/api.sock}
${services}
`;

/**
 * Retries up to ten times after an error status. On a busy machine the request head can arrive too late, and the API
 * then responds with 408.
 */
async function statsOf(socketPath: string): Promise<Stats> {
  for (let tries = 10; ; tries -= 1) {
    const [response] = await once(get({ socketPath, path: '/stats', agent: false }), 'response');
    const answer = (await json(response)) as Stats;
    if (response.statusCode === 200) return answer;
    if (tries === 0) throw new Error(`GET /stats: ${JSON.stringify(answer)}`);
  }
}

async function waitUntilSettled(socketPath: string): Promise<number> {
  for (let tries = 100; ; tries -= 1) {
    const open = (await statsOf(socketPath)).tables.connections?.entries ?? 0;
    if (open === 0 || tries === 0) return open;
    await sleep(100);
  }
}

function targetsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return []; // the descriptor was closed in the meantime
    }
  });
}

function stateReaders({ pid = 0 }: ChildProcess, socketPath: string): Omit<SoakDaemon, 'collectMemory' | 'stop'> {
  return {
    memory: () => residentBytes(pid, ...childrenOf(pid)),
    descriptors: () => [pid, ...childrenOf(pid)].flatMap(targetsOf),
    stats: () => statsOf(socketPath),
    waitUntilSettled: () => waitUntilSettled(socketPath),
  };
}

/**
 * Returns the inspector URLs of the processes, that of the main process first. Forwards output before the first URL.
 */
async function waitUntilReady(child: ChildProcess): Promise<string[]> {
  const inspectors: string[] = [];
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
    const [url] = /ws:\S+/.exec(line) ?? [];
    if (url !== undefined) inspectors.push(url);
    else if (line.includes(' info: ready;')) return inspectors;
    else if (inspectors.length === 0) process.stderr.write(`${line}\n`);
  }
  throw new Error('the daemon did not start');
}

export async function startSoakDaemon(folder: string, setting: SoakSetting): Promise<SoakDaemon> {
  const file = join(folder, 'tcp-guard.yaml');
  writeFileSync(file, configuration(folder, setting));
  const program = join(packageRoot, 'dist/bin/tcp-guard.js');
  const args = [...heapFlags, '--inspect=127.0.0.1:0', program, '-c', file];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const inspectors = await Promise.all((await waitUntilReady(child)).map(connectInspector));
  child.stderr.pipe(process.stderr);
  return {
    ...stateReaders(child, join(folder, 'api.sock')),
    collectMemory: async () => {
      const all = await Promise.all(inspectors.map(({ collect }) => collect()));
      const sum = (of: keyof CollectedMemory) => all.reduce((total, memory) => total + memory[of], 0);
      return { residentBytes: sum('residentBytes'), heapBytes: sum('heapBytes') };
    },
    stop: async () => {
      for (const inspector of inspectors) inspector.close();
      await endChild(child);
    },
  };
}
