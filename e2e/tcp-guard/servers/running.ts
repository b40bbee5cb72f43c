import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { scratchFolder } from '../../../platform/scratch-folder.ts';
import { isListening } from '../../../platform/testing/child.ts';
import { until } from '../../../platform/until.ts';
import type { Command, RealServer, ServerEnvironment } from './server.ts';

/** The reason why a server cannot run here. */
export function reasonToSkip({ programs }: Pick<RealServer, 'programs'>): string | false {
  if (process.getuid?.() !== 0) return 'servers of the distribution are started as root';
  const absent = programs.filter((path) => !existsSync(path));
  return absent.length > 0 && `${absent.join(', ')} is not installed`;
}

/** How long a server may take to end before it is killed with all its child processes. */
const graceMs = 5000;

function startCommand(t: TestContext, { program, args, env = {} }: Command, output: string[]): ChildProcess {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text));
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await Promise.race([ended, sleep(graceMs)]);
    killGroup(child);
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
  });
  return child;
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // ESRCH: all processes have ended
  }
}

/** Starts a server, and waits until it accepts connections. Stops the server after the test. */
export async function startServer(
  t: TestContext,
  server: Pick<RealServer, 'name' | 'protocol' | 'serve'>,
  port: number,
): Promise<ServerEnvironment> {
  const folder = scratchFolder(`guard-${server.protocol}-`);
  chmodSync(folder, 0o755);
  const output: string[] = [];
  const environment: ServerEnvironment = {
    ...{ folder, port },
    write: (name, content, mode = 0o600) => {
      writeFileSync(join(folder, name), content, { mode });
      return join(folder, name);
    },
    run: (program, ...args) => void execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] }),
    startAlongside: (command) => void startCommand(t, command, output),
  };
  const child = startCommand(t, server.serve(environment), output);
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${server.name} ended: ${output.join('')}`);
    return isListening(port);
  }, `${server.name} to accept`);
  return environment;
}

export interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

export async function runClient({ program, args, env = {} }: Command): Promise<Outcome> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, complained, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status, output: `${printed}${complained} status ${status}` };
}
