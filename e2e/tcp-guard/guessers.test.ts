/**
 * hydra guesses passwords at sshd, Dovecot and vsftpd, whose logs tcp-guard reads: it gets few guesses, and then no packet
 * through the firewall of the host. Clients that are honest stay.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import {
  type GuardedServer,
  guardedServers,
  guessesOf,
  makeAccount,
  startServers,
} from '../../conformance/servers/guarded.ts';
import { reasonToSkip } from '../../conformance/servers/running.ts';
import { right, user } from '../../conformance/servers/server.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { type Namespace, openNamespace, run, skipNamespaces } from './namespaces.ts';
import { startGuard } from './process.ts';

const needs = Object.assign({ '/usr/bin/hydra': 'hydra' }, ...guardedServers.map(({ server }) => server.needs));
const skip = skipNamespaces || reasonToSkip({ needs });

/**
 * Words of a list, and the most guesses that a server may answer. How many it answers before the daemon reads the line that
 * bans depends on the machine: `npm run bench -- intake/guesses` measures that.
 */
const [wordCount, mostGuesses] = [200, 60];

const words = (prefix: string): string =>
  Array.from({ length: wordCount }, (_, index) => `${prefix}${index}\n`).join('');

test('hydra gets few guesses at each server, and honest clients none of its bans', { skip }, async (t) => {
  const folder = scratchFolder('guard-guessers-');
  makeAccount();
  const servers = await startServers(t);
  const guard = await startGuard(t, {
    bans: { scope: 'host' },
    intake: servers.map(({ log: file, format }) => ({ file, format })),
  });
  t.after(() => void run('nft flush ruleset'));
  /** Empty also while the API limits the requests of this test. */
  const banned = async (): Promise<string[]> => {
    const { status, body } = await guard.ask('GET', '/banlist');
    return status === 200 ? JSON.parse(body).bans.map(({ ip }: { ip: string }) => ip) : [];
  };
  const lists = ['users', 'passwords'].map((name) => join(folder, `guessed-${name}`)) as [string, string];
  for (const path of lists) writeFileSync(path, words('guess'));
  const kinds = { 'one user': ['-l', 'root', '-P', lists[1]], 'one password': ['-L', lists[0], '-p', 'guess'] };

  /** Guesses as an address until the host sends it no packet. */
  async function guess(server: GuardedServer, client: Namespace, host: string, from: string, args: readonly string[]) {
    await promisify(execFile)('nsenter', [
      ...client.enter.slice(1),
      ...`ip route replace ${host.replace(/\d+$/, '0/24')} dev uplink src ${from}`.split(' '),
    ]);
    const all = [...client.enter.slice(1), 'hydra', '-I', ...args, '-s', `${server.port}`, host, server.protocol];
    const hydra = spawn('nsenter', all, { stdio: 'ignore', cwd: folder });
    try {
      await until(
        async () => (await banned()).includes(from),
        () => `a ban of ${from} at ${server.protocol}`,
      );
      await until(() => servers.every(({ port }) => !client.reaches(from, host, port)));
    } finally {
      hydra.kill('SIGKILL');
    }
    return guessesOf(server, from);
  }

  const guessers: string[] = [];
  async function attack(server: GuardedServer, index: number): Promise<void> {
    const net = `203.0.${113 + index}`;
    const addresses = [21, 22, 23, 24].map((last) => `${net}.${last}`);
    const [host, client] = [`${net}.1`, await openNamespace(t, `client${index}`, `${net}.1`, addresses)];
    await until(() => client.reaches(addresses[0] as string, host, server.port));
    for (const tasks of [1, 4])
      for (const [kind, args] of Object.entries(kinds)) {
        const from = addresses.shift() as string;
        guessers.push(from);
        const guesses = await guess(server, client, host, from, ['-t', `${tasks}`, ...args]);
        t.diagnostic(`${server.protocol}, -t ${tasks}, ${kind}: ${guesses} guesses`);
        assert.ok(guesses <= mostGuesses, `${server.protocol}, -t ${tasks}, ${kind}: ${guesses} guesses`);
      }
  }

  await beHonest(servers, await openNamespace(t, 'honest', '198.51.100.1', ['198.51.100.8']), folder);
  await Promise.all(servers.map(attack));
  await until(async () => (await banned()).length >= guessers.length);
  assert.deepEqual((await banned()).toSorted(), guessers.toSorted());
});

/** One wrong password then the right one, three keys and then a password, and four connections with an old password. */
async function beHonest([ssh, imap, ftp]: readonly GuardedServer[], client: Namespace, folder: string): Promise<void> {
  const host = '198.51.100.1';
  const inside = (program: string, args: readonly string[], env = {}) =>
    promisify(execFile)('nsenter', [...client.enter.slice(1), program, ...args], { env: { ...process.env, ...env } });
  const login = (password: string, keys: readonly string[] = []) => {
    const askpass = join(folder, `askpass-${password}`);
    writeFileSync(askpass, `#!/bin/sh\necho ${password}\n`, { mode: 0o755 });
    const settings = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'NumberOfPasswordPrompts=1'];
    const options = [...settings, 'IdentitiesOnly=yes'].flatMap((one) => ['-o', one]);
    const args = ['-F', 'none', ...options, ...keys.flatMap((key) => ['-i', key]), '-p', `${ssh?.port}`];
    const env = { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' };
    return inside('ssh', [...args, `${user}@${host}`, 'true'], env);
  };
  const keys = ['a', 'b', 'c'].map((name) => join(folder, name));
  for (const key of keys) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  await until(() => client.reaches('198.51.100.8', host, ssh?.port ?? 0));
  await assert.rejects(login('wrong'));
  await login(right);
  await login(right, keys);
  const curl = (url: string, password: string) =>
    inside('curl', ['-sS', '--max-time', '60', '--user', `${user}:${password}`, url]);
  await until(() => [imap, ftp].every((server) => client.reaches('198.51.100.8', host, server?.port ?? 0)));
  const old = [1, 2, 3, 4].map(() => assert.rejects(curl(`imap://${host}:${imap?.port}/`, 'old')));
  await Promise.all(old);
  await assert.rejects(curl(`ftp://${host}:${ftp?.port}/`, 'wrong'));
  await curl(`ftp://${host}:${ftp?.port}/`, right);
}
