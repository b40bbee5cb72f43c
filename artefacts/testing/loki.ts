/** Runs Loki as a child process with the configuration of the stack, in a separate folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { freePorts } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { baseImage } from '../../sandbox-images/bases.ts';

/**
 * Path to which `scripts/bootstrap loki` copies the program: from LOKI_PROGRAM, or from the image of Loki's project.
 */
export const lokiProgram = (): string =>
  join(cacheFolder(), 'artefacts', `loki-${baseImage('loki').split(':').at(-1)}`);

/** Why tests with Loki cannot run here, or false. */
export const skip: string | false = existsSync(lokiProgram())
  ? false
  : 'LOKI_PROGRAM is not set, and the image of Loki is neither here nor within reach';

export interface LokiProcess {
  readonly address: string;
  readonly port: number;
  /** Environment variables with which guardcli finds this Loki. */
  readonly settings: { readonly GUARD_LOKI_PORT: string; readonly GUARD_SECRET: string };
  readonly pid: () => number;
  /** Starts Loki again after `stop`, on the same port with the same data. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

function configurationText(folder: string, [http, grpc]: readonly number[]): string {
  const config = readFileSync(join(packageRoot, 'observability/loki/loki.yaml'), 'utf8')
    .replaceAll('/loki/', `${folder}/`)
    .replace('path_prefix: /loki', `path_prefix: ${folder}`)
    .replace('http_listen_port: 3100', `http_listen_address: 127.0.0.1\n  http_listen_port: ${http}`)
    .replace('grpc_listen_port: 9095', `grpc_listen_port: ${grpc}`);
  const file = join(folder, 'loki.yaml');
  writeFileSync(file, config);
  return file;
}

const isReady = (address: string): Promise<boolean> =>
  fetch(`${address}/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );

export async function startLoki(): Promise<LokiProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-loki-'));
  const ports = await freePorts(2);
  const [port = 0] = ports;
  const settings = { GUARD_LOKI_PORT: String(port), GUARD_SECRET: randomBytes(16).toString('hex') };
  const address = `http://127.0.0.1:${port}/${settings.GUARD_SECRET}`;
  const file = configurationText(folder, ports);
  let child: ChildProcess | undefined;
  const start = async () => {
    const env = { ...process.env, ...settings };
    child = spawn(lokiProgram(), [`-config.file=${file}`, '-config.expand-env=true'], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
    await until(() => isReady(address), 'Loki to be ready');
  };
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const end = once(child, 'exit');
    child.kill('SIGTERM');
    await end;
  };
  const remove = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  await start();
  const pid = () => child?.pid as number;
  return { address, port, settings, pid, start, stop, remove };
}
