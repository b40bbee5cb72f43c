/** Starts programs on fixed processors and sums their CPU time and memory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpuSeconds, residentBytes } from '../../measure/measure.ts';
import { childrenOf } from '../../measure/process.ts';

/** Numbers of processors: of relays with one thread; of the load and the upstreams; of relays with several threads or processes. */
export const relayProcessor = '0';
export const loadProcessor = '1';
export const bothProcessors = '0,1';

/** Prefix of a command that gives it priority over other programs of the machine. */
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

/** Returns the CPU seconds that a relay and its workers have used so far. */
export const cpuOf = (child: ChildProcess): number => sumOfProcesses(child, cpuSeconds);
/** Returns the resident bytes of a relay and its workers. */
export const memoryOf = (child: ChildProcess): number => sumOfProcesses(child, residentBytes);
