/** Measuring on a machine that is never quiet: interleaved runs, medians, ratios. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { undisturbed } from './steal.ts';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

interface Turns {
  readonly rounds: number;
  /** Those whose time must not be stolen. Default: all. */
  readonly processors?: readonly string[];
  /** Rounds before those that count: they warm caches and compilers. */
  readonly warmRounds?: number;
  /** When no further round begins, by `performance.now()`. One counts in any case. */
  readonly end?: number;
}

/**
 * Runs the measurements in turn, so that a slow minute meets them all alike. Rounds whose time was stolen are repeated. Returns the
 * samples in the order given.
 */
export async function inTurn<Sample>(
  measurements: readonly (() => Sample | Promise<Sample>)[],
  { rounds, processors = [], warmRounds = 1, end = Number.POSITIVE_INFINITY }: Turns,
): Promise<Sample[][]> {
  const samples: Sample[][] = measurements.map(() => []);
  for (let round = 0; round < warmRounds; round++) for (const measure of measurements) await measure();
  for (let round = 0; round < rounds && (round === 0 || performance.now() < end); round++)
    for (const [index, measure] of measurements.entries()) samples[index]?.push(await undisturbed(measure, processors));
  return samples;
}

/** Medians of measurements in turn, in the order given. */
export const interleaved = async (
  rounds: number,
  measurements: readonly (() => number | Promise<number>)[],
): Promise<number[]> => (await inTurn(measurements, { rounds })).map(median);

/** Wall time of a whole process, milliseconds. A failing command ends the benchmark. */
export function wallMs(command: string, args: readonly string[], options: { cwd?: string } = {}): number {
  const start = process.hrtime.bigint();
  const { status, error } = spawnSync(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const elapsed = Number(process.hrtime.bigint() - start) / 1e6;
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with status ${status}`);
  return elapsed;
}

let ticksPerSecond = 0;

/** CPU seconds (user and system) that a process has used so far; Linux, proc(5). */
export function cpuSeconds(pid: number): number {
  ticksPerSecond ||= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Bytes of memory that a process has in use now; Linux, proc(5). */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** Most bytes of memory that a whole process had in use, as it reports itself at its end. */
export function peakBytes(command: string, args: readonly string[], options: { cwd?: string } = {}): number {
  const report =
    'data:text/javascript,process.on("exit",()=>process.stderr.write("peak "+process.resourceUsage().maxRSS))';
  const { stderr } = spawnSync(command, ['--import', report, ...args], { ...options, encoding: 'utf8' });
  return Number(/peak (\d+)$/.exec(stderr)?.[1]) * 1024;
}

export const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** Takes the step again and again until `work` is done, and once at least. */
export async function during<Done>(work: Promise<Done>, step: () => Promise<void>): Promise<Done> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  over.catch(() => {}); // it is awaited below
  do await step();
  while (!isOver);
  return over;
}
