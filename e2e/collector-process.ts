/** The collector as a child process with the configuration of the stack, in a separate folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { packageRoot } from '../platform/assets.ts';
import { freePorts } from '../platform/free-ports.ts';
import { buildArtefact, isBuilt } from '../sandbox-images/build.ts';
import { type LokiProcess, startLoki } from './loki-process.ts';
import { eventually } from './support.ts';

const isMissing = !(await isBuilt('loki')) || !(await isBuilt('collector'));

/** Why tests with it cannot run here; false: they can. */
export const skip: string | false = isMissing ? 'they are not compiled: scripts/bootstrap loki collector' : false;

export interface CollectorProcess {
  /** Event files in it are read. */
  readonly logs: string;
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly otlp: string;
  readonly healthPort: number;
  readonly pid: () => number;
  /** Starts it again with the same data. */
  readonly start: () => Promise<void>;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
}

const config = join(packageRoot, 'observability/collector/collector.yaml');

/** Ports of this test in place of those of the container. */
const overrides = ([health, grpc, http]: readonly number[]): string[] =>
  [
    `extensions::health_check::endpoint: 127.0.0.1:${health}`,
    `receivers::otlp::protocols::grpc::endpoint: 127.0.0.1:${grpc}`,
    `receivers::otlp::protocols::http::endpoint: 127.0.0.1:${http}`,
  ].flatMap((override) => ['--config', `yaml:${override}`]);

/** `prefix` is a command that runs the collector, such as on one processor. */
export async function startCollector(
  t: Pick<TestContext, 'after'>,
  loki: string,
  prefix: readonly string[] = [],
): Promise<CollectorProcess> {
  const binary = await buildArtefact('collector');
  const folder = mkdtempSync(join(tmpdir(), 'guard-collector-'));
  const [logs, data] = [join(folder, 'logs'), join(folder, 'data')];
  mkdirSync(logs);
  const ports = await freePorts(3);
  const [healthPort = 0, , http = 0] = ports;
  const env = { ...process.env, COLLECTOR_LOGS: logs, COLLECTOR_DATA: data, LOKI_OTLP: `${loki}/otlp` };
  let child: ChildProcess | undefined;
  let said = '';
  const start = async () => {
    const [program = '', ...args] = [...prefix, binary, '--config', config, ...overrides(ports)];
    const started = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4096);
    });
    await eventually('the collector to be ready', async () => {
      if (started.exitCode !== null) throw new Error(`the collector ended: ${said}`);
      return fetch(`http://127.0.0.1:${healthPort}`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  t.after(async () => {
    await stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return { logs, otlp: `http://127.0.0.1:${http}`, healthPort, pid: () => child?.pid as number, start, stop };
}

export interface Stack {
  readonly loki: LokiProcess;
  readonly collector: CollectorProcess;
  readonly query: Query;
}

export type Query = ReturnType<typeof queryOf>;

/** One line with its labels and structured metadata. */
export interface Found {
  readonly fields: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly line: string;
}

interface Streams {
  readonly data: {
    readonly result: readonly { readonly stream: Record<string, string>; readonly values: [string, string][] }[];
  };
}

const hourMs = 3_600_000;

/** Queries of the last hours. */
function queryOf(address: string) {
  const ask = async (path: string, values: Record<string, string>): Promise<unknown> => {
    const response = await fetch(`${address}/loki/api/v1/${path}?${new URLSearchParams(values)}`);
    if (!response.ok) throw new Error(`Loki responds with ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const range = () => ({ start: `${Date.now() - 48 * hourMs}000000`, end: `${Date.now() + hourMs}000000` });
  return {
    lines: async (selector: string): Promise<Found[]> => {
      const { data } = (await ask('query_range', { query: selector, limit: '5000', ...range() })) as Streams;
      return data.result.flatMap(({ stream, values }) =>
        values.map(([ns, line]) => ({ fields: stream, at: Number(ns.slice(0, -6)), line })),
      );
    },
    count: async (selector: string): Promise<number> => {
      const query = `sum(count_over_time(${selector}[50h]))`;
      const time = `${Date.now() + hourMs}000000`;
      const { data } = (await ask('query', { query, time })) as { data: { result: { value: [number, string] }[] } };
      return Number(data.result[0]?.value[1] ?? 0);
    },
    series: async (): Promise<Record<string, string>[]> => {
      const found = await ask('series', { 'match[]': '{app="request-guard"}', ...range() });
      return (found as { data: Record<string, string>[] }).data;
    },
  };
}

export async function startStack(t: TestContext, prefix: readonly string[] = []): Promise<Stack> {
  const loki = await startLoki();
  t.after(loki.remove);
  const collector = await startCollector(t, loki.address, prefix);
  return { loki, collector, query: queryOf(loki.address) };
}
