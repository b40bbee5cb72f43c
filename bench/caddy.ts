/** What the guard costs a real Caddy on clean traffic: process CPU per request, bare over guarded. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildArtefact } from '../sandbox-images/build.ts';
import { cpuSeconds, median } from './measure.ts';
import type { Row } from './row.ts';

const rounds = 7;
const secondsPerRun = 3;

interface Sample {
  readonly requestsPerSecond: number;
  readonly cpuMicroseconds: number;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const connected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (connected) return;
  }
  throw new Error(`caddy ended with status ${child.exitCode}`);
}

async function startCaddy(binary: string, folder: string, name: string, guard: string) {
  const port = await freePort();
  const file = join(folder, `${name}.Caddyfile`);
  const site = `:${port} {\n\tbind 127.0.0.1\n\troute {\n\t\t${guard}\n\t\trespond ok\n\t}\n}\n`;
  writeFileSync(file, `{\n\tadmin off\n\tpersist_config off\n\tauto_https off\n}\n${site}`);
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(binary, ['run', '--adapter', 'caddyfile', '--config', file], { stdio: 'ignore', env });
  await answers(port, child);
  return { child, url: `http://127.0.0.1:${port}/assets/app.3f2a.css`, pid: child.pid ?? 0 };
}

function load(url: string, pid: number): Sample {
  const before = cpuSeconds(pid);
  const output = execFileSync('wrk', ['-t1', '-c8', `-d${secondsPerRun}s`, url], { encoding: 'utf8' });
  const used = cpuSeconds(pid) - before;
  const requests = Number(/(\d+) requests in/.exec(output)?.[1]);
  if (!requests || /Non-2xx/.test(output)) throw new Error(`wrk: ${output}`);
  return { requestsPerSecond: requests / secondsPerRun, cpuMicroseconds: (used / requests) * 1e6 };
}

function rows(bare: readonly Sample[], guarded: readonly Sample[]): Row[] {
  const of = (samples: readonly Sample[], key: keyof Sample) => median(samples.map((sample) => sample[key]));
  const ratios = (ratio: (bare: Sample, guarded: Sample) => number) =>
    median(bare.flatMap((sample, index) => (guarded[index] ? [ratio(sample, guarded[index])] : [])));
  const cpu = ratios((b, g) => b.cpuMicroseconds / g.cpuMicroseconds);
  const rate = ratios((b, g) => g.requestsPerSecond / b.requestsPerSecond);
  return [
    {
      name: 'Caddy, CPU per clean request',
      measured: `guarded ${of(guarded, 'cpuMicroseconds').toFixed(1)} us`,
      against: `bare ${of(bare, 'cpuMicroseconds').toFixed(1)} us`,
      ratio: cpu,
      budget: '>= 0.95 (bare over guarded)',
      holds: cpu >= 0.95,
    },
    {
      name: 'Caddy, clean requests/s',
      measured: `guarded ${of(guarded, 'requestsPerSecond').toFixed(0)}/s`,
      against: `bare ${of(bare, 'requestsPerSecond').toFixed(0)}/s`,
      ratio: rate,
      budget: 'reported',
      holds: true,
    },
  ];
}

export async function benchCaddy(): Promise<Row[]> {
  const binary = await buildArtefact('caddy', {});
  const folder = mkdtempSync(join(tmpdir(), 'guard-bench-'));
  const proxies: Awaited<ReturnType<typeof startCaddy>>[] = [];
  try {
    proxies.push(await startCaddy(binary, folder, 'bare', ''), await startCaddy(binary, folder, 'guarded', 'guard'));
    const samples: [Sample[], Sample[]] = [[], []];
    for (let round = 0; round <= rounds; round++)
      for (const [index, { url, pid }] of proxies.entries()) {
        const sample = load(url, pid);
        if (round > 0) samples[index]?.push(sample);
      }
    return rows(...samples);
  } finally {
    for (const { child } of proxies) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
