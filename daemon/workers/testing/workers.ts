/** For tests: worker processes as Linux shows them in proc(5), and their sockets. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import type { TestContext } from 'node:test';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // the process has ended
  }
}

/** The fields of a process in proc(5) `stat` after its name. The first two are the state and the parent. */
function statOf(pid: number): readonly string[] {
  const text = textOf(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

const numberForm = /^\d+$/;
const programForm = /relay-worker|workers\/worker\/main/;

/** The process ids of the workers of a process. */
export function workersOf(parent: number): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => numberForm.test(name))
    .map(Number);
  return pids.filter((pid) => Number(statOf(pid)[1]) === parent && programForm.test(textOf(`/proc/${pid}/cmdline`)));
}

const socketLink = /^socket:\[(\d+)\]$/;

/** Inodes of the sockets that a process has open. */
function inodesOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return socketLink.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

/** The number of sockets that a process has open. */
export const socketsOf = (pid: number): number => inodesOf(pid).length;

const listeningState = '0A';

/** The TCP addresses that a process listens on, in the kernel's hexadecimal form. */
export function listenersOf(pid: number): readonly string[] {
  const own = new Set(inodesOf(pid));
  const lines = ['tcp', 'tcp6'].flatMap((name) => textOf(`/proc/${pid}/net/${name}`).split('\n'));
  return lines.flatMap((line) => {
    const [, address = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    return state === listeningState && own.has(inode) ? [address] : [];
  });
}

/** Whether a process has a handler for a signal. */
export function isCaught(pid: number, signal: NodeJS.Signals): boolean {
  const [, mask = '0'] = /^SigCgt:\s*(\w+)$/m.exec(textOf(`/proc/${pid}/status`)) ?? [];
  return (BigInt(`0x${mask}`) & (1n << BigInt(constants.signals[signal] - 1))) !== 0n;
}

/** Whether a process runs. A zombie does not. */
export const isRunning = (pid: number): boolean => !['', 'Z', 'X'].includes(statOf(pid)[0] ?? '');

const usualDescriptors = 1024;

function limitDescriptors(pid: number, descriptors: number): void {
  const { status } = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${descriptors}:20000`]);
  assert.equal(status, 0, 'prlimit of util-linux is required');
}

/**
 * Leaves each process one free descriptor while `work` runs: enough for a client, but not for its upstream. Other
 * descriptors must not be opened or closed meanwhile.
 */
export async function withFewDescriptors(pids: readonly number[], work: () => Promise<unknown>): Promise<void> {
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

/** Stops a process. It continues after the test, so that the daemon can end it. */
export function stop(t: TestContext, pid: number): void {
  process.kill(pid, 'SIGSTOP');
  t.after(() => isRunning(pid) && process.kill(pid, 'SIGCONT'));
}

/**
 * Repeats `work` until it takes less than half of `workerSettleMs`. Slower work may have given up waiting for a paused
 * worker.
 */
export async function inTime<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const begun = performance.now();
    const result = await work();
    if (performance.now() - begun < daemonBounds.workerSettleMs / 2) return result;
  }
}
