/** tcp-guard before real servers, asked by real clients: who knows the password gets in, who guesses is banned. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ldap, mqtt, mysql, postgres, redis } from './servers/data.ts';
import { ftp, ssh } from './servers/logins.ts';
import { imap, pop3, smtp } from './servers/mail.ts';
import { type Command, type Place, type RealServer, right, wrong } from './servers/server.ts';
import { eventually, freePorts } from './support.ts';
import { portOf, startGuard } from './tcp-guard-process.ts';

const servers: readonly RealServer[] = [ssh, ftp, smtp, imap, pop3, postgres, mysql, redis, mqtt, ldap];

/** Why a server cannot run here; false: it can. */
function missing({ programs }: RealServer): string | false {
  if (process.getuid?.() !== 0) return 'servers of the distribution are started as root';
  const absent = programs.filter((path) => !existsSync(path));
  return absent.length > 0 && `${absent.join(', ')} is not installed`;
}

/** What a server gets to end by itself before it is killed with all that it started. */
const graceMs = 5000;

function begin(t: TestContext, { program, args, env = {} }: Command, output: string[]): ChildProcess {
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

/** A server is the first of a process group of its own. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // all of it has ended
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Starts a server and waits until it accepts connections; it has ended after the test, and its folder is gone. */
async function startServer(t: TestContext, server: RealServer, port: number): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), `guard-${server.protocol}-`));
  chmodSync(folder, 0o755);
  const output: string[] = [];
  const place: Place = {
    ...{ folder, port },
    write: (name, content, mode = 0o600) => {
      writeFileSync(join(folder, name), content, { mode });
      return join(folder, name);
    },
    run: (program, ...args) => void execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] }),
    besides: (command) => void begin(t, command, output),
  };
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const child = begin(t, server.serve(place), output);
  await eventually(`${server.name} to accept`, async () => {
    if (child.exitCode !== null) throw new Error(`${server.name} ended: ${output.join('')}`);
    return accepts(port);
  });
  return place;
}

const client = '192.0.2.66';
const failures = 3;

for (const server of servers)
  test(`${server.name}: the right password passes, the wrong one is counted until a ban`, {
    skip: missing(server),
  }, async (t) => {
    const [behind, before] = (await freePorts(2)) as [number, number];
    const place = await startServer(t, server, behind);
    const { protocol, options } = server;
    const proxy_protocol = { accept_from: ['127.0.0.0/8'] };
    const service = { listen: `127.0.0.1:${before}`, upstream: `127.0.0.1:${behind}`, protocol, proxy_protocol };
    const services = { [protocol]: { ...service, ...(options && { [protocol]: options }) } };
    const guard = await startGuard(t, { services }, { ban_after_failures: failures });
    const port = await portOf(t, client, before);
    const login = async (password: string): Promise<{ isIn: boolean; output: string }> => {
      const { program, args, env } = server.login(port, password, place);
      const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
      const [printed, complained, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      const output = `${printed}${complained} status ${status}`;
      return { isIn: server.isIn?.(output) ?? status === 0, output };
    };
    const actions = () =>
      guard
        .events()
        .filter(({ client_ip }) => client_ip === client)
        .map(({ action }) => action);
    const count = (wanted: string): number => actions().filter((action) => action === wanted).length;

    const first = await login(right);
    assert.ok(first.isIn, `${first.output}\n${JSON.stringify(guard.events())}`);
    await eventually('the login to be recorded', async () => count('allowed') > 0);
    assert.equal(count('auth_failure'), 0, JSON.stringify(guard.events()));

    for (let failure = 1; failure <= failures; failure += 1) {
      assert.equal((await login(wrong)).isIn, false);
      await eventually(`failure ${failure} to be counted`, async () => count('auth_failure') === failure);
    }
    await eventually('the ban', async () => count('banned') === 1);
    const [failed] = guard.events().filter(({ action }) => action === 'auth_failure');
    assert.equal(failed?.confidence, server.isProbable && 'probable');

    assert.equal((await login(right)).isIn, false, 'it is banned and gets in');
    const { bans } = JSON.parse((await guard.ask('GET', '/banlist')).body);
    assert.deepEqual([bans.length, bans[0].ip, bans[0].service], [1, client, protocol]);
    assert.equal((await guard.ask('POST', '/unban', { ip: client })).status, 200);
    const last = await login(right);
    assert.ok(last.isIn, last.output);
  });
