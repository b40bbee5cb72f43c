/** Runs the program with a real container runtime, and lists what it leaves behind. */

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { connect, diskFiles } from '../../containers/connect.ts';
import { open } from '../../containers/docker.ts';
import { sandboxLabel } from '../../containers/labels.ts';
import { checkPorts } from '../../containers/ports.ts';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { endChild, hasEnded } from '../../platform/testing/child.ts';
import { until } from '../../platform/testing/until.ts';
import { freeRow } from './port-row.ts';

export { freePort, freePorts } from '../../platform/free-ports.ts';

export const program = join(packageRoot, 'dist/bin/guardcli.js');

/** The reason why these tests cannot run here. */
export const skip: string | false = await connect(process.env, diskFiles, open).then(
  () =>
    docker('version', '--format', 'x').then(
      () => false as const,
      () => 'there is no docker command to look with',
    ),
  () => 'no container runtime responds',
);

/** Runs the docker command, which does not use this project's client of the container runtime. */
export async function docker(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('docker', args, { maxBuffer: 2 ** 26 });
  return stdout.trim();
}

/** Builds an image from a Dockerfile that needs no other file. */
export const buildImage = (tag: string, dockerfile: string): Promise<string> =>
  command('docker', ['build', '-q', '-t', tag, '-'], { input: Readable.from([dockerfile]) });

export function temporaryFile(name: string, content: unknown): string {
  const file = join(scratchFolder('guard-e2e-'), name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

export interface Running {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when one of the outputs contains this text. */
  readonly says: (text: string | RegExp) => Promise<void>;
  /** The exit status, or the signal that ended the process. */
  readonly ended: Promise<number | string>;
}

/** Variables with which `--test` sends only a few hundred probes. */
export const fewProbes = { GUARD_TEST_VECTORS: 'none' };

/** Starts guardcli, which ends after the test at the latest. */
export function start(t: TestContext, args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...env } });
  const outputs = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      outputs[name] += text;
    });
  }
  let isClosed = false;
  const ended = once(child, 'close').then(([status, signal]) => {
    isClosed = true;
    return (status ?? signal) as number | string;
  });
  t.after(() => endChild(child));
  const has = (text: string | RegExp): boolean =>
    [outputs.stdout, outputs.stderr].some((output) =>
      typeof text === 'string' ? output.includes(text) : text.test(output),
    );
  const says = (text: string | RegExp): Promise<void> =>
    until(async () => {
      // The process can end before its last output is read.
      if (!has(text) && isClosed) throw new Error(`it ended: ${outputs.stderr}`);
      return has(text);
    }, `guardcli to say ${text}`);
  return { child, stdout: () => outputs.stdout, stderr: () => outputs.stderr, says, ended };
}

export interface Ended {
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(t: TestContext, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const running = start(t, args, env);
  const status = await running.ended;
  return { status, stdout: running.stdout(), stderr: running.stderr() };
}

/** Returns a line for each sandbox container that publishes the port, including stopped ones. */
export async function containersOn(port: number): Promise<string[]> {
  const ids = await docker('ps', '-aq', '--filter', `label=${sandboxLabel}`);
  if (ids === '') return [];
  const format = '{{.Name}} {{range .HostConfig.PortBindings}}{{range .}}{{.HostPort}} {{end}}{{end}}';
  // `inspect` fails for a removed container, but prints the others.
  const text = await docker('inspect', '--format', format, ...ids.split('\n')).catch(
    ({ stdout }: { stdout: string }) => stdout,
  );
  return text.split('\n').filter((line) => line.split(' ').includes(String(port)));
}

/** Returns the session of the sandbox that publishes the port, or an empty text. */
export async function sessionOn(port: number): Promise<string> {
  const [line = ''] = await containersOn(port);
  return line.split(' ')[0]?.split('-').at(-1) ?? '';
}

/** Returns the networks of one session, because this machine may run other sandboxes. */
export async function networksOf(session: string): Promise<string[]> {
  const filter = `label=${sandboxLabel}=${session}`;
  const text = await docker('network', 'ls', '--filter', filter, '--format', '{{.Name}}');
  return text === '' ? [] : text.split('\n');
}

/** Runs guardcli to its end. `left` names the remaining containers and networks. */
export async function runSandbox(
  t: TestContext,
  args: readonly string[],
  port: number,
  env: Record<string, string> = {},
) {
  const running = start(t, [...args, '--port', String(port)], env);
  let session = '';
  await until(async () => {
    session = await sessionOn(port);
    return session !== '' || hasEnded(running.child);
  }, 'the sandbox to start or guardcli to end');
  const status = await running.ended;
  const left = [...(await containersOn(port)), ...(await networksOf(session))];
  return { status, stdout: running.stdout(), stderr: running.stderr(), left };
}

export const untilGone = (port: number): Promise<void> =>
  until(async () => (await containersOn(port)).length === 0, `the sandbox on port ${port} to go`);

export const hasIpv6 = async (): Promise<boolean> => (await checkPorts([await freePort()])).ipv6;

/** Runs a sandbox of tcp-guard. All probes must pass, and no container or network may remain. */
export async function passesTcpGuard(t: TestContext, file: string, ...options: string[]): Promise<void> {
  const port = await freeRow();
  const args = ['sandbox', 'tcp-guard', file, '--test', ...options];
  const { status, stdout, stderr, left } = await runSandbox(t, args, port);
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, new RegExp(`^tcp-guard on http://localhost:${port}: PASSED, [\\d,]+ probes in `, 'm'));
  assert.deepEqual(left, []);
}
