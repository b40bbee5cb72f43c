/** For tests: the processes of workers, as the system shows them; Linux, proc(5). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

/** State and parent of a process. */
function statOf(pid: number): readonly string[] {
  const text = textOf(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

const numbers = /^\d+$/;
const program = /relay-worker|workers\/main/;

/** Workers that a process has started. */
export function workersOf(parent: number): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => numbers.test(name))
    .map(Number);
  return pids.filter((pid) => Number(statOf(pid)[1]) === parent && program.test(textOf(`/proc/${pid}/cmdline`)));
}

/** Sockets that a process has open. */
export function socketsOf(pid: number): number {
  const links = readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return '';
    }
  });
  return links.filter((link) => link.startsWith('socket:')).length;
}

/** Whether a process runs; one that has ended and waits for its parent does not. */
export const isRunning = (pid: number): boolean => !['', 'Z', 'X'].includes(statOf(pid)[0] ?? '');

const usualDescriptors = 1024;

function limitDescriptors(pid: number, descriptors: number): void {
  const { status } = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${descriptors}:20000`]);
  assert.equal(status, 0, 'prlimit of util-linux');
}

/**
 * Leaves each process one descriptor while `work` runs: for a client, and none for its upstream, unless others come or go
 * meanwhile.
 */
export async function starved(pids: readonly number[], work: () => Promise<unknown>): Promise<void> {
  for (const pid of pids) {
    const used = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
    const [, second = 0] = Array.from({ length: usualDescriptors }, (_, number) => number).filter(
      (one) => !used.has(one),
    );
    limitDescriptors(pid, second);
  }
  await work();
  for (const pid of pids) limitDescriptors(pid, usualDescriptors);
}

/** Nothing that these tests wait for takes longer, on a busy machine either. */
const patienceMs = 60_000;

export async function until(isTrue: () => boolean): Promise<void> {
  for (const end = performance.now() + patienceMs; !isTrue(); await turn())
    if (performance.now() > end) throw new Error(`waited in vain for ${isTrue}`);
}
