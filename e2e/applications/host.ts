/** Starts the servers that applications need. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { collectOutput, hasEnded, isListening } from '../../platform/testing/child.ts';
import { until } from '../../platform/testing/until.ts';
import type { Host } from './application.ts';

type Owner = Pick<TestContext, 'after'>;

const phpProgram = 'php-fpm8.2';
const databaseSocket = '/run/mysqld/mysqld.sock';

const phpConfig = (folder: string): string => `[global]
error_log = ${folder}/php.log
[www]
user = www-data
group = www-data
listen = ${folder}/php.sock
listen.owner = www-data
pm = static
pm.max_children = 6
catch_workers_output = yes
php_admin_value[session.save_path] = ${folder}
php_admin_value[upload_max_filesize] = 8M
`;

/** Kills a server with its workers, which hold its output open. */
async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const closed = once(child, 'close');
  process.kill(-child.pid, 'SIGKILL');
  await closed;
}

export interface RunningHost extends Host {
  /** Output of all started servers, for the message of a failed test. */
  readonly output: () => string;
}

/** Starts MariaDB without a password for root. Returns its client. */
async function startDatabase(folder: string, start: Host['start']): Promise<void> {
  const data = join(folder, 'database');
  mkdirSync('/run/mysqld', { recursive: true });
  const run = promisify(execFile);
  await run('install', ['-d', '-o', 'mysql', '/run/mysqld', data]);
  await run('mariadb-install-db', ['--no-defaults', '--user=mysql', `--datadir=${data}`, '--skip-test-db']);
  const places = [`--datadir=${data}`, `--socket=${databaseSocket}`, `--pid-file=${data}/pid`];
  const settings = ['--bind-address=127.0.0.1', '--skip-log-bin', '--innodb-flush-log-at-trx-commit=0'];
  start(['mariadbd', '--no-defaults', '--user=mysql', ...places, ...settings]);
  await until(() => isListening(3306), 'MariaDB to accept');
}

export function startHost(t: Owner, port: number, origin: string): RunningHost {
  const folder = scratchFolder('guard-application-');
  chmodSync(folder, 0o777);
  const outputs: (() => string)[] = [];
  const start: Host['start'] = ([program, ...args], env = {}) => {
    const child: ChildProcess = spawn(program, args, {
      env: { ...process.env, HOME: folder, ...env },
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    child.on('error', (error) => outputs.push(() => `${error}`));
    outputs.push(collectOutput(child));
    t.after(() => endGroup(child));
  };
  let hasPhp = false;
  const php = (): string => {
    if (!hasPhp) {
      writeFileSync(join(folder, 'php.conf'), phpConfig(folder));
      start([phpProgram, '--nodaemonize', '--fpm-config', join(folder, 'php.conf')]);
      hasPhp = true;
    }
    return join(folder, 'php.sock');
  };
  let database: Promise<void> | undefined;
  return {
    ...{ folder, port, origin, start, php },
    write: (name, content) => {
      const file = join(folder, name);
      writeFileSync(file, content, { mode: 0o666 });
      chmodSync(file, 0o666);
      return file;
    },
    run: async (program, ...args) => {
      const options = { cwd: folder, env: { ...process.env, HOME: folder }, maxBuffer: 2 ** 26 };
      await promisify(execFile)(program, args, options).catch((error: Error & { stdout: string }) => {
        throw new Error(`${error.message}\n${error.stdout}`);
      });
    },
    sql: async (statements) => {
      database ??= startDatabase(folder, start);
      await database;
      await promisify(execFile)('mariadb', ['-e', statements]);
    },
    output: () => outputs.map((output) => output()).join('\n'),
  };
}
