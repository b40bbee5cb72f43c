/** Programs of the benchmark on fixed processors. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpuSeconds, residentBytes } from '../../measure/measure.ts';

/** Processors of the relay, and of the load with its upstreams; and of both, where a relay is to use several. */
export const relayProcessor = '0';
export const loadProcessor = '1';
export const bothProcessors = '0,1';

/** Ahead of other programs of this machine, which would otherwise take a part of each round. */
const priority = ['nice', '-n', '-15'];

export const onProcessor = (processor: string, command: readonly string[]): readonly [string, ...string[]] => [
  ...(['taskset', '-c', processor] as const),
  ...priority,
  ...command,
];

export function pinned(processor: string, ...command: readonly string[]): ChildProcess {
  const [program, ...args] = onProcessor(processor, command);
  return spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** The process and those that it has started; proc(5). */
function family(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(family)];
}

const sum = (child: ChildProcess, of: (pid: number) => number): number =>
  family(child.pid ?? 0).reduce((total, pid) => total + of(pid), 0);

/** CPU seconds of a relay with its workers until now. */
export const cpuOf = (child: ChildProcess): number => sum(child, cpuSeconds);
/** Memory of a relay with its workers, bytes. */
export const memoryOf = (child: ChildProcess): number => sum(child, residentBytes);
