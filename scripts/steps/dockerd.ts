/** Starts Docker's daemon on machines without a service manager. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cacheFolder } from '../../platform/cache.ts';
import { findRuntime } from '../runtime/find.ts';
import type { TaskContext } from '../tasks/task.ts';

/** The first start creates keys, a bridge and firewall rules, which takes seconds on a slow disk. */
const startTimeoutMs = 60_000;
const pollMs = 200;

const logPath = (): string => join(cacheFolder(), 'dockerd.log');

/** Runs in a separate session: it outlives the set-up and does not receive Ctrl-C. */
function spawnDaemon(): ChildProcess {
  mkdirSync(dirname(logPath()), { recursive: true });
  const log = openSync(logPath(), 'w');
  const daemon = spawn('dockerd', { detached: true, stdio: ['ignore', log, log] });
  daemon.unref();
  return daemon;
}

async function waitForAnswer(daemon: ChildProcess | undefined, { signal, log }: TaskContext): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  while ((await findRuntime()) === undefined) {
    if (daemon && daemon.exitCode !== null) {
      log(readFileSync(logPath(), 'utf8'));
      throw new Error(`dockerd ended with status ${daemon.exitCode}`);
    }
    if (performance.now() > deadline) throw new Error(`dockerd does not respond after ${startTimeoutMs / 1000} s`);
    await delay(pollMs, undefined, { signal });
  }
}

/** Starts the daemon and waits until it responds. */
export async function startDaemon(context: TaskContext): Promise<void> {
  if (existsSync('/run/systemd/system')) {
    await context.command('systemctl', ['start', 'docker']);
    await waitForAnswer(undefined, context);
    return;
  }
  const daemon = spawnDaemon();
  context.announce(`dockerd was started in the background: process ${daemon.pid}, log ${logPath()}`);
  await waitForAnswer(daemon, context);
}
