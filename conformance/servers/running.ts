import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { hasEnded, isListening } from '../../platform/testing/child.ts';
import { until } from '../../platform/testing/until.ts';
import type { Command, Exposure, RealServer, ServerEnvironment } from './server.ts';

/** The reason why programs cannot run here. @param needs their paths, with the packages that contain them */
export function reasonToSkip({ needs }: Pick<RealServer, 'needs'>): string | false {
  if (process.getuid?.() !== 0) return 'servers of the distribution are started as root';
  const absent = Object.entries(needs).filter(([path]) => !existsSync(path));
  return absent.length > 0 && `${absent.map(([path, name]) => `${path} of ${name}`).join(', ')} is not installed`;
}

/** How long a server may take to end before it is killed with all its child processes. */
const graceMs = 5000;

/** What ends servers, such as a test. */
export interface Owner {
  readonly after: (end: () => Promise<void>) => void;
}

function startCommand(owner: Owner, { program, args, env = {} }: Command, log: string): ChildProcess {
  const output = openSync(log, 'a');
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  const ended = once(child, 'exit');
  owner.after(async () => {
    child.kill('SIGTERM');
    await Promise.race([ended, sleep(graceMs, undefined, { ref: false })]);
    killGroup(child);
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

const unexposed: Exposure = { address: '127.0.0.1', failureDelay: 0 };

async function createEnvironment(
  owner: Owner,
  { protocols }: RealServer,
  exposure: Exposure,
): Promise<ServerEnvironment> {
  const folder = scratchFolder('guard-server-');
  chmodSync(folder, 0o755);
  const ports = await Promise.all(protocols.map(async (protocol) => [protocol, await freePort()]));
  const write: ServerEnvironment['write'] = (name, content, mode = 0o644) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };
  const log = write('log', '', 0o666);
  return {
    ...{ ...exposure, folder, log, write, ports: Object.fromEntries(ports) as Record<Protocol, number> },
    run: (program, ...args) => void execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] }),
    startAlongside: (command) => void startCommand(owner, command, log),
  };
}

/** Starts a server, and waits until it accepts connections. The owner stops it. */
export async function startServer(owner: Owner, server: RealServer, exposure = unexposed): Promise<ServerEnvironment> {
  const environment = await createEnvironment(owner, server, exposure);
  const child = startCommand(owner, server.serve(environment), environment.log);
  for (const protocol of server.protocols)
    await until(async () => {
      if (hasEnded(child)) throw new Error(`${server.name} ended: ${readFileSync(environment.log, 'utf8')}`);
      return isListening(environment.ports[protocol]);
    }, `${server.name} to accept`);
  return environment;
}

export interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

/** How long a client may take, on a busy machine. */
const patienceMs = 120_000;

export async function runClient({ program, args, env = {} }: Command): Promise<Outcome> {
  const options = { env: { ...process.env, ...env }, timeout: patienceMs };
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, complained, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status, output: `${printed}${complained} status ${status}` };
}
