import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, describe, it } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'tcp-guard-'));
after(() => rmSync(folder, { recursive: true }));

const program = join(import.meta.dirname, `start${extname(import.meta.filename)}`);

function tcpGuardWith(env: NodeJS.ProcessEnv, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
}

const tcpGuard = (...args: string[]) => tcpGuardWith({}, ...args);

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

describe('tcp-guard', () => {
  it('accepts a valid configuration', () => {
    const name = file('good.yaml', 'version: 1\nservices:\n  ssh: {listen: ":2222", upstream: "10.0.0.5:22"}\n');
    assert.deepEqual(tcpGuard('--check', '-c', name), { status: 0, stdout: 'good.yaml: schema passed\n', stderr: '' });
  });

  it('reports every problem with its position', () => {
    const name = file('bad.yaml', 'version: 1\nglobal: {log_levle: warn}\nservices: {ssh: {listen: 7}}\n');
    const { status, stderr } = tcpGuard('--check', '--config', name);
    assert.equal(status, 1);
    assert.match(stderr, /^bad\.yaml:2:10: global\.log_levle: unknown key.*\n {2}did you mean "log_level"\?/m);
    assert.match(stderr, /^bad\.yaml:3:/m);
  });

  it('reports a wrong variable by its name, not by a place in the file', () => {
    const name = file('good.yaml', 'version: 1\nservices:\n  ssh: {listen: ":2222", upstream: "10.0.0.5:22"}\n');
    const { status, stderr } = tcpGuardWith({ GUARD_LOG_LEVEL: 'loud' }, '--check', '-c', name);
    assert.equal(status, 1);
    assert.match(stderr, /^GUARD_LOG_LEVEL: expected one of debug, .*, found "loud"/);
  });

  it('exits with 2 when the file does not exist', () => {
    const absent = {
      status: 2,
      stdout: '',
      stderr: 'tcp-guard: cannot read absent.yaml: no such file. Pass its path, such as -c /etc/guard/tcp-guard.yaml\n',
    };
    assert.deepEqual(tcpGuard('--check', '-c', 'absent.yaml'), absent);
    assert.match(tcpGuard('-c', '.').stderr, /^tcp-guard: cannot read \.: it is a folder\./);
    assert.equal(tcpGuard('--chek').stderr, "tcp-guard: Unknown option '--chek'; see tcp-guard --help\n");
    assert.equal(tcpGuard('--chek').status, 2);
    assert.equal(tcpGuard().status, 2);
    assert.equal(tcpGuard('relaod').status, 2);
  });
});

describe('the configuration', () => {
  it('is read from a pipe', () => {
    const name = file('piped.yaml', 'version: 1\nservices:\n  ssh: {listen: ":2222", upstream: "10.0.0.5:22"}\n');
    const script = '"$0" "$1" --check -c <(cat "$2")';
    const args = ['-c', script, process.execPath, program, join(folder, name)];
    const { status, stderr } = spawnSync('bash', args, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });

  it('is refused with 2 when it is too large or has no end', () => {
    truncateSync(join(folder, file('large.yaml', '')), 2 ** 30);
    const hint = 'Pass the path of a configuration with -c';
    for (const [name, reason] of [
      ['/dev/zero', 'it has more than 8388608 bytes'],
      ['large.yaml', 'it has more than 8388608 bytes'],
    ] as const)
      for (const args of [['--check'], [], ['reload'], ['bans', 'flush'], ['notify', '--test']]) {
        const { status, stderr } = tcpGuard(...args, '-c', name);
        assert.deepEqual([status, stderr], [2, `tcp-guard: cannot read ${name}: ${reason}. ${hint}\n`], args.join(' '));
      }
  });
});

describe('unknown words of tcp-guard', () => {
  for (const name of ['constructor', 'toString', '__proto__'])
    it(`refuses ${name} as an unknown command`, () => {
      const stderr = `tcp-guard: unknown command ${name}; see tcp-guard --help\n`;
      assert.deepEqual(tcpGuard(name), { status: 2, stdout: '', stderr });
    });

  it('suggests the command that a word is near to', () => {
    assert.match(
      tcpGuard('inti', 'host').stderr,
      /unknown command inti host; did you mean "init host"\? See tcp-guard --help/,
    );
    assert.match(tcpGuard('reolad').stderr, /did you mean "reload"\?/);
  });

  it('prints its version', () => {
    assert.match(tcpGuard('--version').stdout, /^\d+\.\d+\.\d+\n$/);
  });
});

describe('tcp-guard --check', () => {
  it('warns of sources that cannot be read', () => {
    const row = (pattern: string) =>
      JSON.stringify({
        formats: [{ name: 'own', title: 'Own', source: 'here', lines: [{ outcome: 'failure', pattern }] }],
      });
    const formats = join(folder, file('formats.json', row('^.*<address>.*$')));
    const sources = [
      '{file: /absent/a.log, format: sshd}',
      `{file: ${folder}/b.log, format: own}`,
      `{file: ${folder}, format: access, policy: /absent/guard.json}`,
    ];
    const list = sources.map((source) => `  - ${source}\n`).join('');
    const name = file('sources.yaml', `version: 1\nformats: [${formats}]\nintake:\n${list}`);
    const { status, stderr } = tcpGuard('--check', '-c', name);
    assert.equal(status, 0);
    assert.match(
      stderr,
      /^warning: formats: .*formats\.json:1:\d+: formats\[0\]\.lines\[0\]\.pattern: expected one place/m,
    );
    assert.match(stderr, /^warning: intake: \/absent\/a\.log: the folder does not exist/m);
    assert.match(stderr, /^warning: intake: .*b\.log: the file does not exist/m);
    assert.match(stderr, /^warning: intake: no file of formats has a row named own/m);
    assert.match(stderr, /^warning: intake: \/absent\/guard\.json: no such file or directory$/m);
  });
});

describe('the files that tcp-guard --check reads', () => {
  it('warns of access logs whose lines ban no client', () => {
    const logs: Record<string, string> = {
      'sshd.log': 'sshd[1]: Failed password for root from 192.0.2.1 port 1 ssh2\n',
      'other.log': '{"request_uri":"/","request_method":"GET","status":200,"peer":"192.0.2.1"}\n',
      'good.log': '192.0.2.1 - - [22/Nov/2026:13:50:09 +0000] "GET / HTTP/1.1" 200 5 "-" "x"\n',
      'new.log': '',
    };
    for (const [name, lines] of Object.entries(logs)) file(name, lines);
    const policy = join(folder, file('policy.json', '{}'));
    const sources = [...Object.keys(logs), 'other.log, address: peer'];
    const list = sources.map((log) => `  - {file: ${folder}/${log}, format: access, policy: ${policy}}\n`).join('');
    const name = file('access.yaml', `version: 1\nbans: {scope: host}\nintake:\n${list}`);
    const { stderr } = tcpGuard('--check', '-c', name);
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      `warning: intake: ${folder}/sshd.log: no line at its end is a request in a known format`,
      `warning: intake: ${folder}/other.log: no line at its end has the address of the peer: name its member in \`address\``,
    ]);
  });

  it('warns of files and folders that a start needs', () => {
    execFileSync('mkfifo', [join(folder, 'pipe.log')]);
    const name = file(
      'unusable.yaml',
      `version: 1
api: {socket: /absent/api.sock}
bans: {publish: /absent/bans}
lists: [{file: /absent/list.txt}, {file: ${folder}}]
intake:
  - {file: ${folder}, format: sshd}
  - {file: ${folder}/pipe.log, format: sshd}
  - {file: ${folder}/pipe.log, format: access, policy: ${folder}}
services:
  web: {listen: ":8080", upstream: "192.0.2.1:80", protocol: http, http: {policy: absent.json}}
`,
    );
    const { stderr } = tcpGuard('--check', '-c', name);
    const policy = join(folder, 'absent.json');
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      `warning: intake: ${folder}: not a regular file`,
      `warning: intake: ${folder}/pipe.log: not a regular file`,
      `warning: intake: ${folder}/pipe.log: not a regular file`,
      `warning: intake: ${folder}: not a regular file`,
      `warning: services.web.http.policy: ENOENT: no such file or directory, open '${policy}'`,
      'warning: lists[0].file: /absent/list.txt: no such file or directory',
      `warning: lists[1].file: ${folder}: not a regular file`,
      'warning: api.socket: /absent/api.sock: the folder does not exist',
      'warning: bans.publish: /absent/bans: the folder does not exist',
    ]);
  });
});
