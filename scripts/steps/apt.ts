/** Installs Debian packages as root on Debian or Ubuntu. The set-up uses it only for the container runtime. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../platform/cache.ts';
import { takeLock } from '../../platform/lock.ts';
import type { TaskContext } from '../tasks/task.ts';

export function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
}

/** Whether a program is on the PATH. */
export function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => folder !== '' && existsSync(join(folder, program)));
}

/** Installs packages. apt allows one process at a time, so callers queue. */
export async function install(packages: readonly string[], context: TaskContext): Promise<void> {
  const { command, signal, announce } = context;
  const release = await takeLock(join(cacheFolder(), 'locks', 'apt'), { signal, onWait: announce });
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
