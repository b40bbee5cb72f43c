/** For tests: the daemon in a separate process, started through the `#!` line of its program. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Health } from '../../contract/api/state.ts';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { testFile } from './daemon.ts';

export const program = import.meta.filename.endsWith('.ts')
  ? join(import.meta.dirname, '../app/start.ts')
  : join(import.meta.dirname, '../../bin/tcp-guard.js');

export interface Spawned extends ChildProcess {
  readonly pid: number;
  /** The standard error of the process so far. */
  said: string;
  /** Whether the process has ended and all of its standard error was read. */
  hasEnded: boolean;
}

/** Ends the process after the test at the latest. `through`: a command that runs the daemon. */
export function spawnDaemon(
  t: Pick<TestContext, 'after'>,
  config: string,
  more: NodeJS.ProcessEnv = {},
  through: readonly string[] = [],
): Spawned {
  const [first = ''] = readFileSync(program, 'utf8').split('\n');
  const [, interpreter = '', argument = ''] = /^#!(\S+) (.*)/.exec(first) ?? [];
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...more };
  const [command = '', ...args] = [...through, interpreter, argument, program, '-c', config];
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const spawned = Object.assign(child, { said: '', hasEnded: false }) as ChildProcess as Spawned;
  child.once('close', () => {
    spawned.hasEnded = true;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    spawned.said += chunk;
  });
  return spawned;
}

/** A configuration with an API on a socket in the folder. */
export const withSocket = (folder: string, file: DaemonFile): DaemonFile =>
  testFile(folder, { ...file, api: { listen: '', socket: join(folder, 'api.sock') } });

/** Sends a request to the API on the socket in the folder. Resolves with the response. */
export async function send(folder: string, method: string, path: string, body = ''): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const sent = request({ socketPath: join(folder, 'api.sock'), method, path, headers, agent: false }).end(body);
  const [answer] = await once(sent, 'response');
  return (await answer.setEncoding('utf8').toArray()).join('');
}

export const healthOf = async (folder: string): Promise<Health> => JSON.parse(await send(folder, 'GET', '/health'));
