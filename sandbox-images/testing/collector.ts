/** The collector as a child process with the configuration of the stack, in a separate folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { freePorts } from '../../platform/free-ports.ts';
import { until } from '../../platform/until.ts';
import { buildArtefact, isBuilt } from '../build.ts';

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
    await until(async () => {
      if (started.exitCode !== null) throw new Error(`the collector ended: ${said}`);
      return fetch(`http://127.0.0.1:${healthPort}`).then(
        ({ ok }) => ok,
        () => false,
      );
    }, 'the collector to be ready');
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
