/** Starts, awaits and stops measured programs. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

/** Waits until the port accepts connections. */
export async function waitUntilListening(port: number, child: ChildProcess, host = '127.0.0.1'): Promise<void> {
  for (;;) {
    const socket = connect(port, host);
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended with status ${child.exitCode}`);
  }
}

/** Returns the process ids of the children of a process; Linux, proc(5). */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** Stops the program if it still runs. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
}
