import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { collectOutput, endChild, hasEnded } from '../../platform/testing/child.ts';

const modules = '/usr/lib/nginx/modules';
const program = '/usr/sbin/nginx';

/** The reason why these tests cannot run here. */
export const withoutNginx: string | false =
  existsSync(program) && existsSync(`${modules}/ngx_http_lua_module.so`)
    ? false
    : 'nginx with its Lua module is not installed';

export interface NginxFiles {
  readonly main?: string;
  readonly http: string;
  /** Number of worker processes. Default: 1. */
  readonly workers?: number;
  /** Contents of further files, by file name. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface NginxFolder {
  readonly folder: string;
  readonly config: string;
}

/** Runs workers as root when the tests run as root, because only their user may read the folder. */
const userDirective = process.getuid?.() === 0 ? 'user root;' : '';

const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

function configurationText(folder: string, { main = '', http, workers = 1 }: NginxFiles): string {
  const places = temporaryFolders.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
  return `load_module ${modules}/ndk_http_module.so;
load_module ${modules}/ngx_http_lua_module.so;
daemon off;
worker_processes ${workers};
pid ${folder}/pid;
error_log stderr warn;
${userDirective}
${main}
events { worker_connections 256; }
http {
access_log off;
${places}
${http}
}
`;
}

export function nginxFolder(files: NginxFiles): NginxFolder {
  const folder = scratchFolder('guard-nginx-');
  for (const [name, content] of Object.entries(files.files ?? {})) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configurationText(folder, files));
  return { folder, config };
}

export interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** Runs nginx with `-t`, or with a configuration that ends it. */
export function runNginx({ config, folder }: NginxFolder, ...args: string[]): Ended {
  const { status, stderr, stdout, error } = spawnSync(program, ['-e', 'stderr', '-p', folder, '-c', config, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000,
  });
  if (error) throw error;
  return { status, output: stdout + stderr };
}

export interface RunningNginx {
  readonly child: ChildProcess;
  readonly output: () => string;
}

/** Starts nginx, and waits for its pid file, which it writes when it listens. */
export async function startNginx(t: TestContext, { config, folder }: NginxFolder): Promise<RunningNginx> {
  rmSync(join(folder, 'pid'), { force: true }); // `nginx -t` leaves a pid file
  const child = spawn(program, ['-e', 'stderr', '-p', folder, '-c', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = collectOutput(child);
  t.after(() => endChild(child, 'SIGTERM'));
  const pid = join(folder, 'pid');
  // Without a limit: on a busy machine, nginx compiles the policies of all vectors for minutes.
  for (; !existsSync(pid) || readFileSync(pid, 'utf8') === ''; await sleep(10))
    if (hasEnded(child)) throw new Error(`nginx ended: ${output()}`);
  return { child, output };
}
