/** Finds a container runtime that responds, or installs Docker from Debian's packages. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, diskFiles } from '../../containers/connect.ts';
import type { Containers } from '../../containers/containers.ts';
import { open } from '../../containers/docker.ts';
import { addressText } from '../../containers/endpoint.ts';
import { locate } from '../../containers/locate.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { acquireLock } from '../../platform/lock.ts';
import { type Task, type TaskContext, Unavailable } from '../tasks/task.ts';

/** The first start takes seconds: it creates keys, a bridge and firewall rules. */
const startTimeoutMs = 60_000;
const pollMs = 200;

export const runtime = (): Promise<Containers> => connect(process.env, diskFiles, open);

const isResponding = (): Promise<boolean> => runtime().then(Boolean, () => false);

export const isOnPath = (program: string): boolean =>
  (process.env.PATH ?? '').split(':').some((folder) => folder !== '' && existsSync(join(folder, program)));

/**
 * Refuses to install Docker when the user has selected a runtime, because containers would start in an unexpected
 * place.
 */
function refuseSelectedRuntime(): void {
  const located = locate(process.env, diskFiles);
  if (!located.ok) throw new Unavailable(located.message);
  const selected = located.endpoints.find(({ origin }) => !origin.startsWith('/'));
  if (selected) throw new Unavailable(`${selected.origin} (${addressText(selected.address)}) does not respond`);
}

/** Installs packages. Callers queue, because apt allows only one process. */
async function install(packages: readonly string[], { command, signal, announce }: TaskContext): Promise<void> {
  const release = await acquireLock(join(cacheFolder(), 'locks', 'apt'), { signal, onWait: announce });
  const apt = (...args: string[]) =>
    command('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
      env: { DEBIAN_FRONTEND: 'noninteractive' },
    });
  try {
    announce(`apt-get install ${packages.join(' ')}`);
    await apt('update');
    await apt('install', '--yes', '--no-install-recommends', ...packages);
  } finally {
    release();
  }
}

/**
 * Starts dockerd. Without a service manager it gets a separate session, so that it outlives the set-up and does not
 * receive Ctrl-C.
 */
async function startDaemon({ command, announce, log, signal }: TaskContext): Promise<void> {
  const hasManager = existsSync('/run/systemd/system');
  const file = join(cacheFolder(), 'dockerd.log');
  mkdirSync(dirname(file), { recursive: true });
  const output = openSync(file, 'w');
  const stdio = ['ignore', output, output] as const;
  const daemon = hasManager ? undefined : spawn('dockerd', { detached: true, stdio: [...stdio] });
  daemon?.unref();
  if (daemon) announce(`dockerd was started in the background: process ${daemon.pid}, log ${file}`);
  else await command('systemctl', ['start', 'docker']);
  for (const end = performance.now() + startTimeoutMs; !(await isResponding()); ) {
    if (typeof daemon?.exitCode === 'number') {
      log(readFileSync(file, 'utf8'));
      throw new Error(`dockerd ended with status ${daemon.exitCode}`);
    }
    if (performance.now() > end) throw new Error(`dockerd does not respond after ${startTimeoutMs / 1000} s`);
    await delay(pollMs, undefined, { signal });
  }
}

export const containers: Task = {
  name: 'containers',
  does: 'preparing a container runtime',
  done: isResponding,
  run: async (context) => {
    refuseSelectedRuntime();
    const canInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version') && isOnPath('apt-get');
    if (!canInstall)
      throw new Unavailable('no container runtime responds, and only root on Debian or Ubuntu can install one');
    if (!isOnPath('dockerd')) await install(['docker.io', 'iptables'], context);
    await startDaemon(context);
  },
  fix: 'start Docker or Podman, or install one (Debian: `apt-get install docker.io`), then run the same command again',
};
