import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { measureUndisturbed } from './steal.ts';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

interface Turns {
  readonly rounds: number;
  /** Names of processors. A measurement is repeated if the hypervisor took much of their time. Default: all. */
  readonly processors?: readonly string[];
  /** Number of first rounds that do not count, because they warm caches and compilers. */
  readonly warmRounds?: number;
  /** No round begins after this time of `performance.now()`, except warm rounds and the `leastRounds` that count. */
  readonly end?: number;
  readonly leastRounds?: number;
}

/**
 * Runs the measurements in turn, so that a slow minute of the machine affects all of them. Returns the samples of each.
 */
export async function samplesInTurn<Sample>(
  measurements: readonly (() => Sample | Promise<Sample>)[],
  { rounds, processors = [], warmRounds = 1, end = Number.POSITIVE_INFINITY, leastRounds = 1 }: Turns,
): Promise<Sample[][]> {
  const samples: Sample[][] = measurements.map(() => []);
  for (let round = 0; round < warmRounds; round++) for (const measure of measurements) await measure();
  for (let round = 0; round < rounds && (round < leastRounds || performance.now() < end); round++)
    for (const [index, measure] of measurements.entries())
      samples[index]?.push(await measureUndisturbed(measure, processors));
  return samples;
}

export const mediansInTurn = async (
  rounds: number,
  measurements: readonly (() => number | Promise<number>)[],
): Promise<number[]> => (await samplesInTurn(measurements, { rounds })).map(median);

/** Returns the wall-clock milliseconds of a command. @throws Error when it fails */
export function wallMs(command: string, args: readonly string[], options: { cwd?: string } = {}): number {
  const start = process.hrtime.bigint();
  const { status, error } = spawnSync(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const elapsed = Number(process.hrtime.bigint() - start) / 1e6;
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with status ${status}`);
  return elapsed;
}

let ticksPerSecond = 0;

/** @param index of the user time in proc(5), from the state on; the system time follows it */
function secondsIn(pid: number | 'self', index: number): number {
  ticksPerSecond ||= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[index]) + Number(fields[index + 1])) / ticksPerSecond;
}

/** Returns the CPU seconds, user and system, of a process so far; Linux, proc(5). */
export const cpuSeconds = (pid: number): number => secondsIn(pid, 11);

/** Returns those of the children of a process that have ended. */
export const endedSeconds = (pid: number): number => secondsIn(pid, 13);
export const childSeconds = (): number => secondsIn('self', 13);

/** Returns the resident memory of processes of one program in bytes. They share the pages of its files; Linux, proc(5). */
export function residentBytes(...pids: readonly number[]): number {
  const statuses = pids.map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'));
  const kilobytes = (name: string) =>
    statuses.map((status) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]));
  const owned = [...kilobytes('RssAnon'), ...kilobytes('RssShmem')].reduce((sum, value) => sum + value, 0);
  return (owned + Math.max(...kilobytes('RssFile'))) * 1024;
}

/** Returns the largest resident memory of a command in bytes, which the process reports when it exits. */
export function peakBytes(command: string, args: readonly string[], options: { cwd?: string } = {}): number {
  const report =
    'data:text/javascript,process.on("exit",()=>process.stderr.write("peak "+process.resourceUsage().maxRSS))';
  const { stderr } = spawnSync(command, ['--import', report, ...args], { ...options, encoding: 'utf8' });
  return Number(/peak (\d+)$/.exec(stderr)?.[1]) * 1024;
}

export const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** Repeats the step until `work` is done, and at least once. */
export async function repeatDuring<Done>(work: Promise<Done>, step: () => Promise<void>): Promise<Done> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  over.catch(() => {}); // not an unhandled rejection: the caller gets it from the returned promise
  do await step();
  while (!isOver);
  return over;
}
