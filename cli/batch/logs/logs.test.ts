import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCaptured } from '../../testing/captured.ts';
import { scratch } from '../../testing/scratch.ts';

const log = [
  'Nov 29 17:08:19 host sshd[1]: Failed password for root from 198.51.100.7 port 4711 ssh2',
  'Nov 29 17:08:20 host sshd[1]: Accepted password for alice from 198.51.100.7 port 4711 ssh2',
  'Nov 29 17:08:21 host cron[1]: Failed password for root from 198.51.100.7 port 4711 ssh2',
  'Nov 29 17:08:22 host sshd[1]: \x1b[31mnoise',
].join('\n');
const lines = [{ outcome: 'failure', pattern: '^denied <attempts> times <user> at <address>$' }];
const own = JSON.stringify({ formats: [{ name: 'own', title: 'Own', source: 'here', lines }] });
const cwd = scratch({
  'auth.log': log,
  'own.json': own,
  'own.log': 'denied 3 times x at 192.0.2.66 at 198.51.100.7\n',
});

const run = (...argv: string[]) => runCaptured(['test', ...argv], { cwd, now: Date.UTC(2026, 10, 30) });

describe('guardcli test --log', () => {
  it('shows the row that reads each line, escaped, and a summary', async () => {
    const { status, stdout } = await run('--log', 'auth.log', '--format', 'sshd');
    assert.equal(status, 0);
    assert.match(stdout, /^1: failure 198\.51\.100\.7 user "root", row \d+: Nov 29/m);
    assert.match(stdout, /^2: success 198\.51\.100\.7 user "alice", row \d+: /m);
    assert.match(stdout, /^3: - : /m);
    assert.ok(!stdout.includes('\x1b'));
    assert.match(stdout, /^4 lines of auth\.log as sshd: 2 read, 2 not$/m);
  });

  it('reads rows of the user, with the attempts that a line names', async () => {
    const { stdout } = await run('--log', 'own.log', '--format', 'own', '--formats', 'own.json', '--json');
    const [first] = stdout.split('\n').map((line) => line && JSON.parse(line));
    const { row, outcome, address, user, attempts } = first;
    assert.deepEqual([row, outcome, address, user, attempts], [0, 'failure', '198.51.100.7', 'x at 192.0.2.66', 3]);
  });

  const refused = [
    { argv: ['--log', 'auth.log'], message: /--log needs --format/ },
    { argv: ['--log', 'auth.log', '--format', 'none'], message: /no format "none"/ },
    { argv: ['--log', 'auth.log', '--format', 'own', '--formats', 'auth.log'], message: /auth\.log:1:1/ },
    { argv: ['--log', 'auth.log', '--format', 'own', '--formats', '/dev/zero'], message: /not a regular file/ },
    { argv: ['--log', 'auth.log', '--format', 'own', '--formats', '.'], message: /not a regular file/ },
    { argv: ['--log', 'absent.log', '--format', 'sshd'], message: /no such file/ },
    { argv: ['--format', 'sshd', '/x'], message: /--format needs --log/ },
    { argv: ['--log', 'auth.log', '--format', 'sshd', '/x'], message: /mutually exclusive/ },
  ];
  for (const { argv, message } of refused)
    it(`refuses ${argv.join(' ')}`, async () => {
      const { status, stderr } = await run(...argv);
      assert.equal(status, 2);
      assert.match(stderr, message);
    });
});
