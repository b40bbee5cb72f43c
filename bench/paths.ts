/** `guardcli test --paths -` over a pipe of a million targets: targets a second, and the most memory it holds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { packageRoot } from '../platform/assets.ts';
import { targets } from './offline.ts';
import type { Row } from './row.ts';
import { undisturbed } from './steal.ts';

const cli = join(packageRoot, 'dist/bin/guardcli.js');
const piece = targets(100_000)
  .map((target) => `${target}\n`)
  .join('');
const pieces = 10;
const mostMiB = 384;

/** Peak resident memory of a process, in KiB (Linux). */
function peakKiB(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}

interface Run {
  readonly perSecond: number;
  readonly peakMiB: number;
}

async function judge(args: readonly string[]): Promise<Run> {
  const child = spawn(process.execPath, [cli, 'test', '--paths', '-', ...args], {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const start = process.hrtime.bigint();
  let peak = Number.NaN;
  function* input() {
    for (let index = 0; index < pieces; index += 1) {
      peak = peakKiB(child.pid ?? 0);
      yield piece;
    }
  }
  child.stdout.resume();
  const ended = once(child, 'exit');
  await pipeline(Readable.from(input()), child.stdin);
  const [status] = (await ended) as [number];
  if (status !== 0) throw new Error(`guardcli test --paths ended with status ${status}`);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  return { perSecond: (pieces * 100_000) / seconds, peakMiB: peak / 1024 };
}

export async function benchPaths(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const args of [[], ['--json']]) {
    const { perSecond, peakMiB } = await undisturbed(() => judge(args));
    rows.push({
      name: ['list of targets', ...args].join(' '),
      measured: `${Math.round(perSecond)} targets/s, ${peakMiB.toFixed(0)} MiB`,
      budget: `>= 100000 targets/s, < ${mostMiB} MiB`,
      holds: perSecond >= 100_000 && !(peakMiB >= mostMiB),
    });
  }
  return rows;
}
