import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hasEnded, isListening } from '../../platform/testing/child.ts';

/** The required congestion control. Other algorithms delay packets on the loopback. */
const algorithm = 'reno';

/** Kernel settings of benchmarks on the loopback. */
export const sysctls = [`net.ipv4.tcp_congestion_control=${algorithm}`];

/** @throws Error when this network namespace has another congestion control */
export function checkAlgorithm(): void {
  const current = readFileSync('/proc/sys/net/ipv4/tcp_congestion_control', 'utf8').trim();
  if (current !== algorithm) throw new Error(`congestion control is ${current} instead of ${algorithm}`);
}

export async function waitUntilListening(port: number, child: ChildProcess): Promise<void> {
  while (!(await isListening(port)))
    if (hasEnded(child)) throw new Error(`${child.spawnargs.join(' ')} ended with status ${child.exitCode}`);
}
