/** Loki and the collector of the dashboard as processes, in a folder of this run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../platform/assets.ts';
import { freePorts } from '../platform/free-ports.ts';
import { buildArtefact } from '../sandbox-images/build.ts';
import { stop } from './process.ts';

const patienceMs = 60_000;
const configuration = (name: string): string => join(packageRoot, 'observability', name);

/** Asks again until it is so. */
export async function until(what: string, isSo: () => Promise<boolean>, milliseconds = patienceMs): Promise<void> {
  for (const end = Date.now() + milliseconds; !(await isSo()); await sleep(50))
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
}

const isOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

export interface Loki {
  readonly url: string;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

async function prepareLoki(folder: string): Promise<Loki> {
  const [http = 0, grpc = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${http}`;
  const file = join(folder, 'loki.yaml');
  const config = readFileSync(configuration('loki/loki.yaml'), 'utf8')
    .replaceAll(/(?<=: )\/loki(?=[/\s}])/g, join(folder, 'loki'))
    .replace(/http_listen_port: \d+/, `http_listen_address: 127.0.0.1\n  http_listen_port: ${http}`)
    .replace(/grpc_listen_port: \d+/, `grpc_listen_address: 127.0.0.1\n  grpc_listen_port: ${grpc}`);
  writeFileSync(file, config);
  const binary = await buildArtefact('loki');
  let child: ChildProcess | undefined;
  return {
    url,
    start: async () => {
      child = spawn(binary, [`-config.file=${file}`], { cwd: folder, stdio: 'ignore' });
      await until('Loki to be ready', () => isOk(`${url}/ready`));
    },
    stop: async () => {
      if (child) await stop(child);
    },
  };
}

export interface Collector {
  /** Event files in it are read. */
  readonly logs: string;
  readonly child: ChildProcess;
}

/** A collector that sends to `target`. `prefix` is a command that runs it, such as on one processor. */
async function startCollector(folder: string, target: string, prefix: readonly string[]): Promise<Collector> {
  const [logs, data] = [join(folder, 'logs'), join(folder, 'data')];
  mkdirSync(logs, { recursive: true });
  const [health = 0, grpc = 0, http = 0] = await freePorts(3);
  const overrides = [
    `extensions::health_check::endpoint: 127.0.0.1:${health}`,
    `receivers::otlp::protocols::grpc::endpoint: 127.0.0.1:${grpc}`,
    `receivers::otlp::protocols::http::endpoint: 127.0.0.1:${http}`,
  ].flatMap((override) => ['--config', `yaml:${override}`]);
  const env = { ...process.env, COLLECTOR_LOGS: logs, COLLECTOR_DATA: data, LOKI_OTLP: target };
  const binary = await buildArtefact('collector');
  const [program = '', ...args] = [
    ...[...prefix, binary, '--config', configuration('collector/collector.yaml')],
    ...overrides,
  ];
  const child = spawn(program, args, { env, stdio: 'ignore' });
  await until('the collector to be ready', () => isOk(`http://127.0.0.1:${health}`));
  return { logs, child };
}

/** A folder for `work`, which is removed after it. */
async function withFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-bench-'));
  return work(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

/** Runs `work` with a collector that sends to `target`. */
export const withCollector = <Result>(
  target: string,
  prefix: readonly string[],
  work: (collector: Collector) => Promise<Result>,
): Promise<Result> =>
  withFolder(async (folder) => {
    const collector = await startCollector(folder, target, prefix);
    return work(collector).finally(() => stop(collector.child));
  });

/** Runs `work` with a collector that sends to a Loki. */
export const withStack = <Result>(work: (loki: Loki, collector: Collector) => Promise<Result>): Promise<Result> =>
  withFolder(async (folder) => {
    const loki = await prepareLoki(folder);
    await loki.start();
    return withCollector(`${loki.url}/otlp`, [], (collector) => work(loki, collector)).finally(loki.stop);
  });
