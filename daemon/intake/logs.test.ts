import assert from 'node:assert/strict';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { daemonSchema } from '../../contract/daemon/schema.ts';
import { until } from '../../platform/testing/until.ts';
import { startIntake } from './index.ts';

const base = mkdtempSync(join(tmpdir(), 'guard-logs-'));
after(() => rmSync(base, { recursive: true, force: true }));

const [client, stranger, exempt] = ['198.51.100.7', '192.0.2.66', '203.0.113.7'];
const header = 'Nov 29 17:08:19 host sshd[123]: ';
const failed = (user: string, ip = client) => `${header}Failed password for ${user} from ${ip} port 4711 ssh2\n`;
const accepted = (user: string) => `${header}Accepted password for ${user} from ${client} port 4711 ssh2\n`;

interface Setting {
  readonly source?: object;
  readonly bans?: object;
  readonly formats?: readonly string[];
  readonly now?: () => number;
}

/** Follows a log. `counted` has the address of each counted failure. */
async function follow(t: TestContext, folder: string, { source, bans, formats = [], now = Date.now }: Setting = {}) {
  const [file, barrier] = [join(folder, 'auth.log'), join(folder, 'barrier.log')];
  for (const path of [file, barrier]) appendFileSync(path, '');
  const sources = [
    { file, format: 'sshd', window: '60s', ...source },
    { file: barrier, format: 'sshd' },
  ];
  const config = daemonSchema().parse({
    global: { data_dir: folder },
    ...(bans && { bans }),
    formats,
    intake: sources,
  });
  const counted: string[] = [];
  let marks = 0;
  const groups: Record<string, number> = {};
  const fail = ({ ip, group = '', count = 1 }: { ip: string; group?: string; count?: number }): boolean => {
    if (ip === '203.0.113.99') {
      marks += 1;
      return false;
    }
    groups[group] = (groups[group] ?? 0) + count;
    counted.push(...Array<string>(count).fill(ip));
    return false;
  };
  const said: string[] = [];
  const failures = { fail, isExempt: (ip: string) => ip === exempt };
  const intake = await startIntake({ config, now, log: (text) => said.push(text), failures });
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
  return { file, write, said, intake, groups: () => groups };
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

  it('counts each attempt that a line of Dovecot names', async (t) => {
    const { write } = await follow(t, folder(), { source: { format: 'dovecot' } });
    const line = (attempts: number, user: string) =>
      `Nov 29 18:54:43 host dovecot: imap-login: Disconnected: Connection closed (auth failed, ${attempts} attempts in 9 secs): user=<${user}>, method=PLAIN, rip=${client}, lip=198.51.100.1, session=<x>\n`;
    assert.equal((await write(line(6, 'root') + line(1, 'other'))).length, 5);
  });

  it('counts the lines of each reporter of a login separately', async (t) => {
    const { write, groups } = await follow(t, folder(), { source: { format: 'dovecot' } });
    const lines = (user: string): string =>
      `auth: sql(${user},${client}): Password mismatch\n` +
      `imap-login: Disconnected: Connection closed (auth failed, 1 attempts in 9 secs): user=<${user}>, rip=${client}\n`;
    for (const user of ['a', 'b', 'a']) await write(lines(user));
    assert.deepEqual(groups(), { 'login auth': 2, login: 2 });
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

describe('the intake: what a source reports', () => {
  it('counts its lines by what became of them', async (t) => {
    const { write, intake, said } = await follow(t, folder());
    const lines = `${failed('root').repeat(2)}${accepted('bob')}${failed('x', exempt).repeat(3)}noise\n`;
    assert.deepEqual(await write(lines), [client]);
    const [stats] = intake.stats();
    const { source: _, ...counts } = stats ?? assert.fail();
    const expected = { lines: 7, counted: 1, ignored: 3, exempt: 3, late: 0, unforwarded: 0, behind_bytes: 0 };
    assert.deepEqual(counts, { format: 'sshd', ...expected });
    assert.equal(said.filter((text) => text.includes(exempt)).length, 1);
  });

  it('reports a log that does not exist until it does', async (t) => {
    const absent = join(folder(), 'absent.log');
    const { write, intake, said } = await follow(t, folder(), { source: { file: absent } });
    await write('');
    assert.match(intake.problems().join(), /absent.log: the file does not exist/);
    assert.equal(said.length, 1, 'it is logged once');
    writeFileSync(absent, '');
    await write('');
    assert.deepEqual(intake.problems(), []);
  });

  it('reports a log without a line for a day', async (t) => {
    let ahead = 0;
    const { intake, write } = await follow(t, folder(), { now: () => Date.now() + ahead });
    await write(failed('root'));
    assert.deepEqual(intake.problems(), []);
    ahead = 86_400_001;
    assert.match(intake.problems().join(), /no line for a day/);
  });

  it('reports a log that is not in its format, and none without a login where that is usual', async (t) => {
    const request = `${client} - - [29/Nov/2026:17:08:19 +0000] "GET / HTTP/1.1" 200 12 "-" "curl"\n`;
    const [json, text] = ['{"reqId":"x","level":3}\n', '[2026-11-29 19:00:00] [INF] noise\n'];
    for (const [format, line, isForeign] of [
      ['sshd', `${header}Server listening on 0.0.0.0 port 22.\n`, true],
      ['sshd', failed('x', exempt), false],
      ['nginx', request, false],
      ['nginx', text, true],
      ['nextcloud', json, false],
      ['nextcloud', text, true],
      ['apache', text, false],
    ] as const) {
      const { intake, write } = await follow(t, folder(), { source: { format } });
      await write(line.repeat(1000));
      assert.deepEqual(intake.problems(), []);
      await write(line);
      const expected = isForeign ? new RegExp(`none of more than 1000 lines is in the format ${format}`) : /^$/;
      assert.match(intake.problems().join(), expected, `${format} ${line}`);
    }
  });

  it('reports a log of which more is written than is read', async (t) => {
    const { file, intake, write } = await follow(t, folder());
    truncateSync(file, 2 ** 40);
    await write('');
    assert.match(intake.problems().join(), /not read yet/);
  });
});

describe('the intake of files that a pattern names', () => {
  it('reads each, and one that appears later from its end', async (t) => {
    const logs = folder();
    writeFileSync(join(logs, 'a.log'), failed('old'));
    let ahead = 0;
    const now = () => Date.now() + ahead;
    const { write } = await follow(t, folder(), { source: { file: join(logs, '*.log') }, now });
    appendFileSync(join(logs, 'a.log'), failed('root'));
    assert.deepEqual(await write(''), [client]);
    writeFileSync(join(logs, 'b.log'), failed('copied'));
    ahead = 6000;
    assert.deepEqual(await write(''), []);
    appendFileSync(join(logs, 'b.log'), failed('admin'));
    assert.deepEqual(await write(''), [client]);
  });

  it('follows new files in place of those that are gone, such as those of earlier days', async (t) => {
    const logs = folder();
    const names = Array.from({ length: 64 }, (_, index) => join(logs, `day-${100 + index}.log`));
    for (const name of names) writeFileSync(name, '');
    let ahead = 0;
    const now = () => Date.now() + ahead;
    const { write, intake } = await follow(t, folder(), { source: { file: join(logs, '*.log') }, now });
    const server = openSync(names[0] as string, 'a'); // it writes for a while to the file that was renamed
    t.after(() => closeSync(server));
    for (const name of names.slice(0, 40)) rmSync(name);
    await write('');
    for (const day of [201, 202]) writeFileSync(join(logs, `day-${day}.log`), '');
    ahead = 6000;
    await write('');
    writeSync(server, failed('late'));
    assert.deepEqual(await write(''), [client]);
    ahead = 12_000;
    await write('');
    for (const day of [201, 202]) appendFileSync(join(logs, `day-${day}.log`), failed(`user${day}`));
    appendFileSync(names[63] as string, failed('other'));
    assert.deepEqual(await write(''), [client, client, client]);
    assert.doesNotMatch(intake.problems().join(), /followed/);
  });

  it('reports a pattern without a file, and a folder that does not exist', async (t) => {
    for (const [file, said] of [
      [join(folder(), '*.log'), /no file has such a name/],
      ['/absent/*.log', /\/absent: the folder does not exist/],
    ] as const) {
      if (!file.startsWith('/absent')) writeFileSync(file.replace('*.log', 'other'), '');
      const { intake } = await follow(t, folder(), { source: { file } });
      assert.match(intake.problems().join(), said);
    }
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

describe('the intake of a log in a format of the user', () => {
  it('counts what its rows match', async (t) => {
    const data = folder();
    const path = join(data, 'formats.json');
    const lines = [{ outcome: 'failure', pattern: '^denied <user> at <address>$' }];
    writeFileSync(path, JSON.stringify({ formats: [{ name: 'own', title: 'Own', source: 'here', lines }] }));
    const { write } = await follow(t, data, { source: { format: 'own' }, formats: [path] });
    assert.deepEqual(await write(`denied x at ${stranger} at ${client}\n`), [client]);
  });

  it('reports rows that do not load, and follows the other sources', async (t) => {
    const data = folder();
    const path = join(data, 'formats.json');
    writeFileSync(path, '{"formats": []}');
    const { intake, write } = await follow(t, data, { formats: [path] });
    assert.match(intake.problems().join(), /formats\.json:1:/);
    assert.deepEqual(await write(failed('root')), [client]);
  });
});

describe('the intake of an access log', () => {
  const request = (target: string, status: number, ip = client) =>
    `${ip} - - [29/Nov/2026:17:08:19 +0000] "GET ${target} HTTP/1.1" ${status} 12 "-" "curl ${stranger}"\n`;

  async function withPolicy(t: TestContext, policy: object, source: object = {}) {
    const path = join(folder(), 'guard.json');
    writeFileSync(path, JSON.stringify(policy));
    return { path, ...(await follow(t, folder(), { source: { format: 'access', policy: path, ...source } })) };
  }

  it('counts responses with a status that the source names, and a blocked request once', async (t) => {
    const { write } = await withPolicy(t, {}, { statuses: { 404: 30 } });
    const lines = request('/missing', 404) + request('/admin', 401) + request('/.env', 404);
    assert.deepEqual(await write(lines), [client, client]);
  });

  it('reports a log without a request with the address of its peer', async (t) => {
    const traefik = `${client} - - [29/Nov/2026:17:08:19 +0000] "GET / HTTP/1.1" 200 12 "-" "-" 1 "r" "s" 1ms\n`;
    for (const [line, expected] of [
      [traefik, /none of more than 1000 lines is a request with the address/],
      [request('/', 200), /^$/],
    ] as const) {
      const { write, intake } = await withPolicy(t, {});
      await write(line.repeat(1001));
      assert.match(intake.problems().join(), expected);
    }
  });

  it('reports lines of a trusted proxy without the address of the client', async (t) => {
    const { write, intake } = await withPolicy(t, { trustedProxies: ['198.51.100.0/24'] });
    assert.deepEqual(await write(request('/.env', 404)), []);
    assert.match(intake.problems().join(), /1 lines of a trusted proxy/);
  });

  it('reads its policy again, and keeps the previous one when it does not load', async (t) => {
    const { path, write, intake } = await withPolicy(t, {});
    assert.deepEqual(await write(request('/secret/x', 200)), []);
    writeFileSync(path, JSON.stringify({ blockPatterns: ['^/secret/'] }));
    intake.readAgain();
    assert.deepEqual(await write(request('/secret/x', 200)), [client]);
    writeFileSync(path, '{');
    intake.readAgain();
    assert.match(intake.problems().join(), /the previous policy stays in force/);
    assert.deepEqual(await write(request('/secret/x', 200)), [client]);
  });

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
