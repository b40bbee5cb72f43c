import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { daemonSchema } from '../../contract/daemon/schema.ts';
import { until } from '../../platform/testing/until.ts';
import { startIntake } from './index.ts';

const base = mkdtempSync(join(tmpdir(), 'guard-logs-'));
after(() => rmSync(base, { recursive: true, force: true }));

const [client, stranger] = ['198.51.100.7', '192.0.2.66'];
const header = 'Nov 29 17:08:19 host sshd[123]: ';
const failed = (user: string, ip = client) => `${header}Failed password for ${user} from ${ip} port 4711 ssh2\n`;
const accepted = (user: string) => `${header}Accepted password for ${user} from ${client} port 4711 ssh2\n`;

interface Setting {
  readonly source?: object;
  readonly bans?: object;
  readonly now?: () => number;
}

/** Follows a log. `counted` has the address of each counted failure. */
async function follow(t: TestContext, folder: string, { source, bans, now = Date.now }: Setting = {}) {
  const [file, barrier] = [join(folder, 'auth.log'), join(folder, 'barrier.log')];
  for (const path of [file, barrier]) appendFileSync(path, '');
  const sources = [
    { file, format: 'sshd', window: '60s', ...source },
    { file: barrier, format: 'sshd' },
  ];
  const config = daemonSchema().parse({ global: { data_dir: folder }, ...(bans && { bans }), intake: sources });
  const counted: string[] = [];
  let marks = 0;
  const fail = ({ ip }: { ip: string }): boolean => {
    if (ip === '203.0.113.99') marks += 1;
    else counted.push(ip);
    return false;
  };
  const said: string[] = [];
  const intake = await startIntake({ config, now, log: (text) => said.push(text), failures: { fail } });
  t.after(() => intake.close());
  await until(() => existsSync(join(folder, 'intake.json'))); // the first poll skips what a file had before
  let users = 0;
  /** Appends lines. Resolves when they were read: the barrier file is read after them. */
  const write = async (text: string): Promise<string[]> => {
    appendFileSync(file, text);
    for (const wanted of [marks + 1, marks + 2]) {
      users += 1;
      appendFileSync(barrier, failed(`mark${users}`, '203.0.113.99'));
      await until(() => marks >= wanted);
    }
    return counted.splice(0);
  };
  return { file, write, said, intake };
}

const folder = (): string => mkdtempSync(join(base, 'case-'));

describe('the intake of the log of a server', () => {
  it('counts failed logins of different users', async (t) => {
    const { write } = await follow(t, folder());
    assert.deepEqual(await write(failed('root') + failed('admin') + failed('invalid user x')), [
      client,
      client,
      client,
    ]);
  });

  it('counts two of the first four failures of a user, and each further one', async (t) => {
    const { write } = await follow(t, folder());
    const counts = [];
    for (let guess = 0; guess < 7; guess += 1) counts.push((await write(failed('root'))).length);
    assert.deepEqual(counts, [1, 0, 1, 0, 1, 1, 1]);
  });

  it('counts at most two failures of a user who logged in from the address, also after a restart', async (t) => {
    const data = folder();
    const first = await follow(t, data);
    assert.deepEqual(await first.write(accepted('alice') + failed('alice').repeat(9)), [client, client]);
    await first.intake.close();
    const second = await follow(t, data);
    assert.deepEqual(await second.write(failed('alice').repeat(9)), [client, client]);
    assert.equal((await second.write(failed('bob').repeat(9))).length, 7);
  });

  it('counts no address that the client wrote', async (t) => {
    const { write } = await follow(t, folder());
    const forged = failed(`x from ${stranger} port 22 ssh2`) + failed(`\nFailed password for y from ${stranger}`);
    assert.ok(!(await write(forged)).includes(stranger));
  });

  it('spares private addresses unless they are to be banned', async (t) => {
    const lines = failed('root', '10.0.0.5') + failed('root', 'fe80::1') + failed('root', '100.64.0.1');
    const sparing = await follow(t, folder());
    assert.deepEqual(await sparing.write(lines), []);
    const banning = await follow(t, folder(), { bans: { ban_private: true } });
    assert.equal((await banning.write(lines)).length, 3);
  });
});

describe('the intake of a log without times', () => {
  it('counts lines since the last run only when it stopped within the window', async (t) => {
    for (const { pause, expected } of [
      { pause: 1000, expected: 1 },
      { pause: 61_000, expected: 0 },
    ]) {
      const data = folder();
      const first = await follow(t, data);
      await first.write(failed('first'));
      await first.intake.close();
      appendFileSync(first.file, failed('between'));
      const second = await follow(t, data, { now: () => Date.now() + pause });
      assert.equal((await second.write('')).length, expected, String(pause));
    }
  });
});

describe('the intake of an access log', () => {
  it('counts requests of an access log that its policy blocks', async (t) => {
    const data = folder();
    const policy = join(data, 'guard.json');
    writeFileSync(policy, '{}');
    const { write } = await follow(t, data, { source: { format: 'access', policy } });
    const line = (target: string) =>
      `${client} - - [29/Nov/2026:17:08:19 +0000] "GET ${target} HTTP/1.1" 404 12 "-" "curl ${stranger}"\n`;
    assert.deepEqual(await write(line('/.env') + line('/products/42') + line('/.git/config')), [client, client]);
  });

  it('reports a policy that does not load, and follows the other sources', async (t) => {
    const { intake } = await follow(t, folder(), { source: { format: 'access', policy: '/absent/guard.json' } });
    assert.match(intake.problems().join('\n'), /absent/);
  });
});
