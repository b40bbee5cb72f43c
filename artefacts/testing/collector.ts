/** Runs the collector as a child process with the configuration of the stack, in a separate folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { freePorts } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { buildArtefact, isBuilt } from '../build.ts';
import { skip as withoutLoki } from './loki.ts';

const withoutCollector = (await isBuilt('collector')) ? false : 'it is not compiled: scripts/bootstrap collector';

/** Why tests with the collector cannot run here, or false. */
export const skip: string | false = withoutCollector || withoutLoki;

export interface CollectorProcess {
  /** Folder whose event files the collector reads. */
  readonly logs: string;
  /** URL for OTLP over HTTP. */
  readonly otlp: string;
  readonly otlpGrpc: string;
  /** Headers that the collector requires for OTLP. */
  readonly headers: { readonly Authorization: string };
  /** The OTLP settings as environment variables for other programs. */
  readonly settings: { readonly OTEL_EXPORTER_OTLP_ENDPOINT: string; readonly OTEL_EXPORTER_OTLP_HEADERS: string };
  readonly healthPort: number;
  readonly pid: () => number;
  /** Starts the collector again after `stop`, with the same data. */
  readonly start: () => Promise<void>;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
}

const config = join(packageRoot, 'observability/collector/collector.yaml');

/** Returns options of the collector that replace the ports of the container by ports of this test. */
const overrides = ([health, grpc, http]: readonly number[]): string[] =>
  [
    `extensions::health_check::endpoint: 127.0.0.1:${health}`,
    `receivers::otlp::protocols::grpc::endpoint: 127.0.0.1:${grpc}`,
    `receivers::otlp::protocols::http::endpoint: 127.0.0.1:${http}`,
  ].flatMap((override) => ['--config', `yaml:${override}`]);

/** Starts the collector. `prefix` is a command that runs it, such as on one processor. */
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
  const [healthPort = 0, grpc = 0, http = 0] = ports;
  const otlp = `http://127.0.0.1:${http}`;
  const secret = randomBytes(16).toString('hex');
  const own = { COLLECTOR_LOGS: logs, COLLECTOR_DATA: data, LOKI_OTLP: `${loki}/otlp`, GUARD_SECRET: secret };
  const env = { ...process.env, ...own };
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp,
    OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${secret}`,
  };
  const headers = { Authorization: `Bearer ${secret}` };
  let child: ChildProcess | undefined;
  let output = '';
  const start = async () => {
    const [program = '', ...args] = [...prefix, binary, '--config', config, ...overrides(ports)];
    const started = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4096);
    });
    await until(async () => {
      if (started.exitCode !== null) throw new Error(`the collector ended: ${output}`);
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
  return {
    logs,
    otlp,
    otlpGrpc: `http://127.0.0.1:${grpc}`,
    headers,
    settings,
    healthPort,
    pid: () => child?.pid as number,
    start,
    stop,
  };
}

/** Until the end of the test, makes this process and its child processes send to the collector. */
export function sendTo(t: Pick<TestContext, 'after'>, { settings }: CollectorProcess): void {
  Object.assign(process.env, settings);
  t.after(() => {
    for (const name of Object.keys(settings)) delete process.env[name];
  });
}
