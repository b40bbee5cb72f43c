/** Debian's packages, where we may install them: as root on Debian or Ubuntu. */
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../../platform/cache.ts';
import { takeLock } from '../../platform/lock.ts';
import type { TaskContext } from '../graph/task.ts';

/** Which packages each step brings. */
export const debianPackages = {
  compiler: ['g++', 'make', 'python3'],
  engine: ['docker.io', 'iptables'],
  debian: ['mmdebstrap'],
  bench: ['wrk', 'haproxy', 'iperf3'],
  browser: ['chromium'],
  nginx: ['nginx-light', 'libnginx-mod-http-lua', 'luarocks'],
  servers: [
    ...['openssh-server', 'openssh-client', 'vsftpd', 'dovecot-imapd', 'dovecot-pop3d', 'curl'],
    ...['postgresql', 'postgresql-client', 'mariadb-server', 'mariadb-client', 'redis-server', 'redis-tools'],
    ...['mosquitto', 'mosquitto-clients', 'slapd', 'ldap-utils', 'logrotate'],
    ...['tightvncserver', 'tightvncpasswd', 'xfonts-base', 'vncsnapshot', 'xrdp'],
    ...['hping3', 'iproute2'],
  ],
  mail: ['postfix'],
  schemathesis: ['python3', 'python3-pip'],
  lua: ['luajit2', 'lua-cjson', 'lua-check', 'libpcre3', 'libpcre2-8-0'],
} as const;

/** Package lists of a day ago still name versions that the archive has. */
const listsAgeMs = 24 * 60 * 60 * 1000;

export function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
}

const isRecent = (file: string): boolean => existsSync(file) && Date.now() - statSync(file).mtimeMs < listsAgeMs;

/** Whether a program is on the PATH. */
export function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => folder !== '' && existsSync(join(folder, program)));
}

/** Installs packages; apt itself can only do one thing at a time, so callers queue. */
export async function installDebian(step: keyof typeof debianPackages, context: TaskContext): Promise<void> {
  const packages = debianPackages[step];
  const release = await takeLock(join(cacheFolder(), 'locks', 'apt'), { signal: context.signal });
  const apt = (...args: string[]) =>
    context.command('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
      env: { DEBIAN_FRONTEND: 'noninteractive' },
    });
  try {
    context.tell(`apt-get install ${packages.join(' ')}`);
    const updated = join(cacheFolder(), 'apt-updated');
    if (!isRecent(updated)) {
      await apt('update');
      mkdirSync(dirname(updated), { recursive: true });
      writeFileSync(updated, '');
    }
    await apt('install', '--yes', '--no-install-recommends', ...packages);
  } finally {
    release();
  }
}
