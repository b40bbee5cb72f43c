import { type ChildProcess, spawn } from 'node:child_process';
import { childrenOf } from '../../../platform/testing/child.ts';
import { cpuSeconds, residentBytes } from '../../measure/measure.ts';

/** Numbers of the processors for relays, for loads, and for both. */
export const relayProcessor = '0';
export const loadProcessor = '1';
export const bothProcessors = '0,1';

const priority = ['nice', '-n', '-15'];

export const onProcessor = (processor: string, command: readonly string[]): readonly [string, ...string[]] => [
  ...(['taskset', '-c', processor] as const),
  ...priority,
  ...command,
];

export function startPinned(processor: string, ...command: readonly string[]): ChildProcess {
  const [program, ...args] = onProcessor(processor, command);
  return spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
}

const withDescendants = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(withDescendants)];

const sumOfProcesses = (child: ChildProcess, of: (pid: number) => number): number =>
  withDescendants(child.pid ?? 0).reduce((total, pid) => total + of(pid), 0);

export const cpuOf = (child: ChildProcess): number => sumOfProcesses(child, cpuSeconds);
export const memoryOf = (child: ChildProcess): number => sumOfProcesses(child, residentBytes);
