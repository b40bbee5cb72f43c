import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { runCaptured, type Setting } from '../../testing/captured.ts';
import { scratch } from '../../testing/scratch.ts';
import type { BansResult } from './result.ts';

const now = Date.UTC(2026, 10, 29, 20);
const [attacker, employee, inner] = ['198.51.100.7', '203.0.113.9', '10.0.0.5'];

const time = (at: string): string => `2026-11-29T${at}+00:00`;
const sshd = (at: string, message: string): string => `${time(at)} host sshd[1]: ${message}\n`;
const failed = (at: string, user: string, ip = attacker) =>
  sshd(at, `Failed password for invalid user ${user} from ${ip} port 4711 ssh2`);
const accepted = (at: string, user: string, ip: string) =>
  sshd(at, `Accepted password for ${user} from ${ip} port 4711 ssh2`);
const five = (at: string, ip = attacker): string =>
  ['a', 'b', 'c', 'd', 'e'].map((user, index) => failed(`${at}:0${index}`, user, ip)).join('');
const request = (at: string, target: string): string =>
  `${attacker} - - [29/Nov/2026:${at} +0000] "GET ${target} HTTP/1.1" 404 5 "-" "x"\n`;

/** Writes logs, the policy and the configuration. Returns the folder. */
function folderWith(files: Readonly<Record<string, string>>, more = ''): string {
  const cwd = scratch({ ...files, 'guard.json': '{}' });
  const sources = [
    `{file: ${cwd}/auth.log, format: sshd}`,
    `{file: "${cwd}/*access.log", format: access, policy: ${cwd}/guard.json}`,
    '{unit: ssh.service, format: sshd}',
  ];
  const list = sources.map((source) => `  - ${source}\n`).join('');
  writeFileSync(join(cwd, 'tcp-guard.yaml'), `version: 1\nglobal: {ban_duration: 1h}\nintake:\n${list}${more}`);
  return cwd;
}

async function replay(cwd: string, argv: readonly string[] = [], setting: Setting = {}) {
  const output = await runCaptured(['replay', '--bans', '-c', 'tcp-guard.yaml', '--json', ...argv], {
    cwd,
    now,
    ...setting,
  });
  assert.equal(output.status, 0, output.stderr);
  return JSON.parse(output.stdout) as BansResult;
}

describe('guardcli replay --bans', () => {
  it('says who would have been banned, when, for how long and whether they had logged in', async () => {
    const log =
      five('10:00') +
      failed('10:30:00', 'f') +
      five('12:00') +
      accepted('08:00:00', 'bob', employee) +
      five('13:00', employee);
    const { banned, sources, spared } = await replay(folderWith({ 'auth.log': log + five('14:00', inner) }));
    assert.deepEqual(
      banned.map(({ ip, bannedAt, durations, hasLoggedIn }) => ({ ip, bannedAt, durations, hasLoggedIn })),
      [
        {
          ip: attacker,
          bannedAt: Date.UTC(2026, 10, 29, 10, 0, 4),
          durations: [3_600_000, 7_200_000],
          hasLoggedIn: false,
        },
        { ip: employee, bannedAt: Date.UTC(2026, 10, 29, 13, 0, 4), durations: [3_600_000], hasLoggedIn: true },
      ],
    );
    const { lines, outcomes } = sources[0] ?? assert.fail();
    assert.equal(lines, 22);
    assert.deepEqual([outcomes.counted, outcomes.prevented, outcomes.exempt], [15, 1, 5]);
    assert.deepEqual(spared, [{ ip: inner, failures: 5, isPrivate: true }]);
  });

  it('bans no client for failures that are not within the window', async () => {
    const log = ['10:00:00', '10:01:01', '10:02:02', '10:03:03', '10:04:04', '10:05:05'].map((at, user) =>
      failed(at, `u${user}`),
    );
    assert.deepEqual((await replay(folderWith({ 'auth.log': log.join('') }))).banned, []);
  });

  it('reads the logs in the order of time, also rotated and compressed ones', async () => {
    const scan = (at: string) => request(`${at}0`, '/.env') + request(`${at}1`, '/.git/config');
    const files = {
      'a.access.log.1': scan('10:00:0'),
      'a.access.log': scan('10:00:3'),
      'b.access.log': scan('10:00:0'),
    };
    const cwd = folderWith(files);
    const { banned, sources } = await replay(cwd);
    assert.equal(sources[1]?.outcomes.counted, 5);
    assert.deepEqual(
      banned.map(({ bannedAt }) => new Date(bannedAt).toISOString()),
      ['2026-11-29T10:00:30.000Z'],
    );
    writeFileSync(join(cwd, 'auth.log.2.gz'), gzipSync(five('09:00')));
    assert.equal((await replay(cwd, ['auth.log.2.gz'])).banned[0]?.source, join(cwd, 'auth.log'));
  });
});

describe('guardcli replay --bans reads', () => {
  const scan = (at: string) => request(`${at}0`, '/.env') + request(`${at}1`, '/.git/config');
  it('the last rotated log of each source, also one with a date in its name', async () => {
    const files = {
      'a.access.log-20261127': scan('08:00:0').repeat(3),
      'a.access.log-20261128': scan('10:00:0'),
      'a.access.log': scan('10:00:2'),
      'b.access-2026-11-28.log': scan('10:00:0'),
    };
    const { banned, sources } = await replay(folderWith(files));
    assert.equal(sources[1]?.outcomes.counted, 5);
    assert.equal(banned.length, 1);
  });

  it('the logs of a folder that belong to its sources', async () => {
    const cwd = folderWith({ 'auth.log': '' });
    mkdirSync(join(cwd, 'old'));
    writeFileSync(join(cwd, 'old', 'auth-20261128.log'), five('10:00'));
    writeFileSync(join(cwd, 'old', 'other.log'), five('10:00'));
    assert.equal((await replay(cwd, ['old'])).banned.length, 1);
  });
});

describe('guardcli replay --bans reports', () => {
  it('a table, and what is missing', async () => {
    const cwd = folderWith({
      'auth.log':
        accepted('08:00:00', 'x', attacker) + five('10:00') + 'Failed password for a from 192.0.2.1 port 1 ssh2\n',
    });
    const { stdout, stderr } = await runCaptured(['replay', '--bans', '-c', 'tcp-guard.yaml'], { cwd, now });
    assert.match(stdout, /^1 client would have been banned; 1 had logged in, 0 private$/m);
    assert.match(
      stdout,
      /^ {2}198\.51\.100\.7 +2026-11-29 10:00:04 +1h +.*auth\.log +logs: 5 failed logins in 60s +had logged in$/m,
    );
    assert.match(stderr, /no line of .*access\.log was read/);
  });

  it('first that the clients are those of a CDN', async () => {
    const { notices } = await replay(folderWith({ 'auth.log': five('10:00', '104.16.0.1') }));
    assert.deepEqual(notices, [
      '1 of the 1 most frequent clients are addresses of Cloudflare: add trustedProxies: [cloudflare] to the policy, or log the address of the client',
    ]);
  });

  it('lines without a time, which do not count', async () => {
    const line = 'Failed password for a from 192.0.2.1 port 1 ssh2\n';
    const { undated, banned } = await replay(folderWith({ 'auth.log': line.repeat(50) }));
    assert.deepEqual([undated, banned], [50, []]);
  });

  it('units in the journal, by the fields that no program writes', async () => {
    const cwd = folderWith({ 'auth.log': '' });
    const entry = (fields: object) => JSON.stringify({ __REALTIME_TIMESTAMP: '1795946400000000', ...fields });
    const message = (user: string) => `Failed password for ${user} from ${attacker} port 1 ssh2`;
    const users = ['a', 'b', 'c', 'd', 'e'];
    const entries = users.map((user) => entry({ MESSAGE: message(user), _SYSTEMD_UNIT: 'ssh.service' }));
    const forged = users.map((user) =>
      entry({
        MESSAGE: message(user).replace(attacker, '192.0.2.66'),
        UNIT: 'ssh.service',
        _SYSTEMD_UNIT: 'user@1.service',
      }),
    );
    const bin = join(cwd, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'journalctl'), `#!/bin/sh\ncat <<'EOF'\n${[...forged, ...entries].join('\n')}\nEOF\n`);
    chmodSync(join(bin, 'journalctl'), 0o755);
    const { banned } = await replay(cwd, ['--journal'], { env: { PATH: `${bin}:/usr/bin:/bin` } });
    assert.deepEqual(
      banned.map(({ ip, source }) => [ip, source]),
      [[attacker, 'ssh.service']],
    );
  });
});

describe('guardcli replay --bans refuses', () => {
  const refused = async (argv: readonly string[], cwd = folderWith({ 'auth.log': '' })) => {
    const { status, stderr } = await runCaptured(['replay', ...argv], { cwd, now });
    assert.equal(status, 2);
    return stderr;
  };
  it('options of the other form, and no log', async () => {
    assert.match(await refused(['--bans', '--host', 'x']), /--host and --bans are mutually exclusive/);
    assert.match(await refused(['--journal', 'x']), /--journal needs --bans/);
    assert.match(await refused([]), /no access log is named/);
  });
  it('a log of no source, and sources without a log', async () => {
    assert.match(await refused(['--bans', '-c', 'tcp-guard.yaml', 'guard.json']), /guard\.json belongs to no source/);
    const cwd = scratch({ 'tcp-guard.yaml': 'version: 1\nintake: [{file: /absent/a.log, format: sshd}]\n' });
    assert.match(await refused(['--bans', '-c', 'tcp-guard.yaml'], cwd), /no log of the sources/);
  });
  it('no configuration, and names that of the package', async () => {
    const text = await refused(['--bans'], scratch({ 'a.log': '' }));
    assert.match(text, /^error: there is no tcp-guard\.yaml here\. Pass one, such as -c \/etc\/guard\/tcp-guard\.yaml/);
  });
  it('a policy that does not load', async () => {
    const cwd = scratch({
      'a.log': '',
      'tcp-guard.yaml': 'version: 1\nintake: [{file: a.log, format: access, policy: /absent/guard.json}]\n',
    });
    assert.match(await refused(['--bans', '-c', 'tcp-guard.yaml', 'a.log'], cwd), /absent\/guard\.json/);
  });
});
