/** Compares the CPU time of clean requests in a bare and in a guarded proxy. */
import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { endChild } from '../../platform/testing/child.ts';
import { byLength } from '../measure/length.ts';
import { cpuSeconds, median, samplesInTurn } from '../measure/measure.ts';
import { waitUntilListening } from '../measure/process.ts';
import type { Row } from '../measure/row.ts';

const secondsPerRun = 1;

interface Sample {
  readonly requestsPerSecond: number;
  readonly cpuMicroseconds: number;
}

export interface Running extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Path of a script of wrk that makes the requests. Absent: GET requests. */
  readonly script?: string;
}

export async function start(
  command: readonly string[],
  port: number,
  path: string,
  options: SpawnOptions,
): Promise<Running> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { ...options, stdio: 'ignore' });
  await waitUntilListening(port, child);
  const url = `http://127.0.0.1:${port}${path}`;
  return { url, pid: child.pid ?? 0, [Symbol.asyncDispose]: () => endChild(child) };
}

function runLoad({ url, pid, script }: Running): Sample {
  const before = cpuSeconds(pid);
  const scripted = script === undefined ? [] : ['-s', script];
  const args = ['-t1', '-c8', `-d${secondsPerRun}s`, ...scripted, url];
  const output = execFileSync('wrk', args, { encoding: 'utf8' });
  const used = cpuSeconds(pid) - before;
  const requests = Number(/(\d+) requests in/.exec(output)?.[1]);
  if (!requests || /Non-2xx/.test(output)) throw new Error(`wrk: ${output}`);
  return { requestsPerSecond: requests / secondsPerRun, cpuMicroseconds: (used / requests) * 1e6 };
}

/**
 * Budget for the cost of the guard: the minimum of bare CPU time divided by guarded CPU time, or the maximum of the
 * additional CPU microseconds of a request.
 */
export type Budget = number | { readonly moreMicroseconds: number };

function compareWithBudget(budget: Budget, ratio: number, more: number): Pick<Row, 'budget' | 'holds'> {
  if (typeof budget === 'number') return { budget: `>= ${budget} (bare over guarded)`, holds: ratio >= budget };
  const { moreMicroseconds } = budget;
  return { budget: `<= ${moreMicroseconds} us more, is ${more.toFixed(1)}`, holds: more <= moreMicroseconds };
}

function comparisonRows(label: string, budget: Budget, bare: readonly Sample[], guarded: readonly Sample[]): Row[] {
  const of = (samples: readonly Sample[], key: keyof Sample) => median(samples.map((sample) => sample[key]));
  const pairs = (compare: (bare: Sample, guarded: Sample) => number) =>
    median(bare.flatMap((sample, index) => (guarded[index] ? [compare(sample, guarded[index])] : [])));
  const cpu = pairs((b, g) => b.cpuMicroseconds / g.cpuMicroseconds);
  const more = pairs((b, g) => g.cpuMicroseconds - b.cpuMicroseconds);
  const rate = pairs((b, g) => g.requestsPerSecond / b.requestsPerSecond);
  return [
    {
      name: `${label}, CPU per clean request`,
      measured: `guarded ${of(guarded, 'cpuMicroseconds').toFixed(1)} us`,
      against: `bare ${of(bare, 'cpuMicroseconds').toFixed(1)} us`,
      ratio: cpu,
      ...compareWithBudget(budget, cpu, more),
    },
    {
      name: `${label}, clean requests/s`,
      measured: `guarded ${of(guarded, 'requestsPerSecond').toFixed(0)}/s`,
      against: `bare ${of(bare, 'requestsPerSecond').toFixed(0)}/s`,
      ratio: rate,
      budget: 'reported',
      holds: true,
    },
  ];
}

export async function sideBySide(label: string, budget: Budget, bare: Running, guarded: Running): Promise<Row[]> {
  const loads = [bare, guarded].map((proxy) => () => runLoad(proxy));
  const [bareSamples = [], guardedSamples = []] = await samplesInTurn(loads, { rounds: byLength(11, 3) });
  return comparisonRows(label, budget, bareSamples, guardedSamples);
}
