/** The workbench as a user sees it, in a terminal. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describe, it, type TestContext } from 'node:test';
import { eventExamples } from '../../contract/events/examples.ts';
import { echo, guardedService, start, startUpstream, temporaryFolder, testFile } from '../../daemon/testing/daemon.ts';
import { childrenOf } from '../../platform/testing/child.ts';
import { until } from '../../platform/testing/until.ts';
import { program, temporaryFile } from '../support/guardcli.ts';
import { listen } from '../support/listen.ts';
import { openTerminal, type Size, skip } from '../support/tmux.ts';

const sizes: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 140, rows: 40 },
  { columns: 300, rows: 80 },
];

const emptyFolder = (): string => dirname(temporaryFile('other.txt', ''));

/** Runs the workbench in tmux. When it ends, the shell prints its status and whether the terminal settings changed. */
function open(t: TestContext, size: Size, { folder = emptyFolder(), args = '', env = '' } = {}) {
  const line = `cd '${folder}'; before=$(stty -g); ${env} '${process.execPath}' '${program}' ${args}; echo "status $?"; [ "$before" = "$(stty -g)" ] && echo 'same settings'; sleep 600`;
  return { folder, ...openTerminal(t, line, size) };
}

/** Returns the process id of the workbench, which is the child of the shell. */
const processOf = (panePid: string): number => childrenOf(Number(panePid)).at(-1) ?? 0;

const isRestored = (terminal: ReturnType<typeof open>): boolean =>
  terminal.value('alternate_on') === '0' &&
  terminal.value('cursor_flag') === '1' &&
  /same settings/.test(terminal.screen());

for (const size of sizes)
  describe(`the workbench at ${size.columns}x${size.rows}`, { skip }, () => {
    it('tries requests', async (t) => {
      const { press, shows, screen } = open(t, size);
      await shows('✖ BLOCKED 403');
      await shows('nginx');
      press('C-u');
      press('/ok');
      await shows('✔ ALLOWED');
      await shows('$ guardcli test /ok');
      assert.ok(screen().split('\n').length <= size.rows + 1);
    });
    it('follows the policy', async (t) => {
      const { press, shows, folder } = open(t, size);
      await shows('✖ BLOCKED 403');
      press('Escape');
      await shows(': commands');
      press('2');
      await shows('no guard.json here');
      writeFileSync(join(folder, 'guard.json'), '{\n  "moed": "detect"\n}\n');
      await shows(/2:3 +moed/);
      writeFileSync(join(folder, 'guard.json'), '{"mode": "detect"}\n');
      await shows('guard.json: valid');
      press('/');
      press('env-file');
      press('Enter', 'x');
      await shows(/\+ *.*"disabledRules": \["env-file"\]/);
      press('w');
      await shows('Write guard.json without env-file?');
      press('y');
      await shows('guard.json no longer has env-file');
      press('1', 'i', 'C-u');
      press('/static/../x');
      await shows('BLOCKED 403 only reported');
    });
    it('lists sandboxes', async (t) => {
      const { press, shows } = open(t, size, { env: 'DOCKER_HOST=unix:///nowhere' });
      await shows('✖ BLOCKED 403');
      press('M-3');
      await shows(/Caddy +:8081 +not started/);
      press('j', 's');
      await shows(/Caddy +:8081 +failed/);
      await shows('$ guardcli sandbox caddy guard.json --port 8081');
    });
  });

for (const size of sizes)
  describe(`the workbench with a daemon at ${size.columns}x${size.rows}`, { skip }, () => {
    it('shows its services and events, and bans', async (t) => {
      const { port } = await startUpstream(t, echo);
      const folder = temporaryFolder();
      const socket = join(folder, 'api.sock');
      const file = testFile(folder, { version: 1, services: { web: guardedService(port, { protocol: 'generic' }) } });
      const { dial } = await start(t, { ...file, api: { listen: '', socket } });
      const { press, shows } = open(t, size, { args: `ui --daemon unix://${socket}` });
      await shows('✖ BLOCKED 403');
      press('M-4');
      await shows(/web +generic +0 open/);
      dial('web').end('x');
      await shows(/\d\d:\d\d:\d\d allowed web/);
      press('b');
      await shows('ban <address> [duration] [reason]');
      press('203.0.113.7 1h scanner');
      press('Enter');
      await shows('203.0.113.7 is banned');
      press('j');
      await shows(/203\.0\.113\.7 +(1h|59m)/);
      press('u');
      await shows('Unban 203.0.113.7?');
      press('y');
      await shows('no bans');
      press('z');
      await shows(/203\.0\.113\.7 +(1h|59m)/);
    });
    it('says how to see what is blocked while there is no Loki', async (t) => {
      const { press, shows } = open(t, size, { env: 'HOME=/dev/null GUARD_LOKI_PORT=1' });
      await shows('✖ BLOCKED 403');
      press('M-5');
      await shows('Loki does not respond at http://127.0.0.1:1');
      await shows('$ guardcli dashboard up');
    });
  });

const hostile = `\x1b[2J\x1b]0;owned\x07\u202eevil\u{1f600}\ud800\n\t\x9b31m\r\x1bP${'x'.repeat(2000)}`;

/** Longer names are not an event. */
const hostileName = hostile.slice(0, 64);

async function startHostileApi(t: TestContext): Promise<string> {
  const event = {
    ...{ ...eventExamples.audit, service: hostileName, protocol: hostileName, client_ip: hostileName },
    reason: hostileName,
  };
  const times = { banned_at: null, expires_at: null, remaining: hostile };
  const bodies: Readonly<Record<string, unknown>> = {
    '/health': { status: 'degraded', version: hostile, uptime_seconds: 1, reasons: [hostile] },
    '/stats': { services: {}, tables: {}, uptime_seconds: 1 },
    '/services': [{ name: hostile, protocol: hostile, listen: hostile, upstream: hostile, enabled: true }],
    '/banlist': { bans: [{ ip: hostile, reason: hostile, service: null, origin: 'api', ...times }] },
  };
  function* events(): Generator<string, void, void> {
    for (let id = 1; ; id += 1) yield `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
  }
  const server = createServer(({ url = '' }, response) => {
    const path = url.split('?', 1)[0] ?? '';
    if (path === '/events') pipeline(events(), response).catch(() => {});
    else response.end(JSON.stringify(bodies[path]));
  });
  return `http://127.0.0.1:${await listen(t, server)}`;
}

describe('the editor in the workbench', { skip }, () => {
  it('gets the terminal and the line, and the workbench continues with the new policy', async (t) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'guard.json'), '{\n  "moed": "detect"\n}\n');
    writeFileSync(
      join(folder, 'editor.sh'),
      'echo "editing $@"; read -r word; echo "{\\"mode\\": \\"$word\\"}" >"$2"\n',
    );
    const { press, shows } = open(t, { columns: 80, rows: 24 }, { folder, env: "EDITOR='sh editor.sh'" });
    await shows('guard.json: not valid');
    press('Escape');
    await shows(': commands');
    press('2');
    await shows(/2:3 +moed/);
    press('e');
    await shows(`editing +2 ${join(folder, 'guard.json')}`);
    press('detect', 'Enter');
    await shows('guard.json: valid');
    press('?');
    await shows('Keys of Policy');
  });
});

describe('the workbench during a flood of hostile events', { skip }, () => {
  it('draws no byte of them as a control, and takes keys', async (t) => {
    const terminal = open(t, { columns: 100, rows: 30 }, { args: `ui --daemon ${await startHostileApi(t)}` });
    await terminal.shows('✖ BLOCKED 403');
    terminal.press('M-4');
    await terminal.shows('1 ban ');
    terminal.press('e');
    await terminal.shows(/\d,\d{3} events/);
    await terminal.shows('tcp-guard \\x1b[2J\\x1b]0;owned');
    terminal.press('j');
    await terminal.shows('1 ban ');
    terminal.press('/');
    terminal.type('evil');
    await terminal.shows('/ evil');
    terminal.press('Escape', '1', 'i', 'C-u');
    terminal.type('/ok');
    await terminal.shows('✔ ALLOWED');
    assert.doesNotMatch(terminal.bytes(), /owned\x07|\x1b\]0;|\x1bP|\x9b|\xe2\x80\xae/);
    terminal.press('C-c');
    await terminal.shows('status 0');
    await until(() => isRestored(terminal), 'the terminal is restored');
  });
});

describe('the terminal of the workbench', { skip }, () => {
  it('follows the size of the terminal and never scrolls', async (t) => {
    const { resize, shows, value } = open(t, { columns: 120, rows: 30 });
    await shows('✖ BLOCKED 403');
    for (let step = 0; step < 40; step += 1)
      resize({ columns: 20 + ((step * 37) % 200), rows: 5 + ((step * 13) % 60) });
    resize({ columns: 20, rows: 10 });
    await shows('Enlarge it');
    resize({ columns: 90, rows: 26 });
    await shows('^C quit');
    assert.equal(value('history_size'), '0');
  });

  it('survives a paste of megabytes, mouse reports and control bytes', async (t) => {
    const terminal = open(t, { columns: 80, rows: 24 });
    await terminal.shows('✖ BLOCKED 403');
    terminal.press('C-u');
    const pid = processOf(terminal.value('pane_pid'));
    assert.ok(pid > 0);
    terminal.paste(`/${'x'.repeat(3_000_000)}`);
    terminal.press('C-u', 'C-u');
    terminal.type('\x1b[M !!\x1b[<0;10;10M\x1b[<0;10;10m/ok');
    await terminal.shows(/\$ guardcli test \/ok\n/);
  });

  it('has no color with NO_COLOR', async (t) => {
    const { shows, bytes } = open(t, { columns: 80, rows: 24 }, { env: 'NO_COLOR=1' });
    await shows('✖ BLOCKED 403');
    // Waits for the active tab, which is inverse: tmux records bytes after it draws them.
    await until(() => /\x1b\[7m(?:\x1b\[1m)? 1 Try/.test(bytes()), 'the shown tab');
    assert.doesNotMatch(bytes(), /\x1b\[3[0-9]m/);
  });

  it('uses the 16 colors of the terminal only', async (t) => {
    const { shows, bytes } = open(t, { columns: 80, rows: 24 });
    await shows('✖ BLOCKED 403');
    await until(() => /\x1b\[31m/.test(bytes()), 'a color');
    assert.doesNotMatch(bytes(), /\x1b\[[34]8;/);
  });
});

describe('the workbench for a screen reader', { skip }, () => {
  /** For each key, the tab that it selects, and the headings that the screen then has, from top to bottom. */
  const screens: readonly (readonly [key: string, selected: string, shown: RegExp])[] = [
    ['M-1', '[ 1 Try ]', /BLOCKED 403[\s\S]*\nCandidates\n[\s\S]*\nWhy\n/],
    ['M-2', '[ 2 Policy ]', /\nRules 1\/\d+\n\[. \S+ +\]\n[\s\S]*\nRule\n/],
    ['M-3', '[ 3 Sandboxes ]', /\n\[ +Traefik .*\]\n[\s\S]*\nTraefik: progress\n/],
    ['M-4', '[ 4 Daemon ]', /no tcp-guard responds[\s\S]*\n0 events\n/],
    ['M-5', '[ 5 Blocked ]', /Loki does not respond[\s\S]*\nBlocked\n\$ guardcli dashboard up\n/],
  ];

  it('names what is selected, draws no lines and keeps panes apart', async (t) => {
    const env = 'INK_SCREEN_READER=true HOME=/dev/null DOCKER_HOST=unix:///nowhere GUARD_LOKI_PORT=1';
    const { press, shows, screen, value } = open(t, { columns: 80, rows: 24 }, { env });
    await shows('✖ BLOCKED 403');
    for (const [key, selected, shown] of screens) {
      press(key);
      await shows(selected);
      await shows(shown);
      assert.doesNotMatch(screen(), /[\u2500-\u259f]/);
    }
    assert.equal(value('history_size'), '0');
  });

  it('follows the selected rule', async (t) => {
    const { press, shows } = open(t, { columns: 80, rows: 24 }, { env: 'INK_SCREEN_READER=true' });
    await shows('✖ BLOCKED 403');
    press('M-2');
    await shows('Rules 1/');
    press(...Array.from({ length: 12 }, () => 'Down'));
    await shows(/\nRules 13\/\d+\n[\s\S]*\n\[. \S+ +\]\n[\s\S]*\nRule\n/);
  });
});

describe('the end of the workbench', { skip }, () => {
  it('restores the terminal on q', async (t) => {
    const terminal = open(t, { columns: 80, rows: 24 });
    await terminal.shows('✖ BLOCKED 403');
    terminal.press('Escape');
    await terminal.shows(': commands');
    terminal.press('q');
    await terminal.shows('status 0');
    await until(async () => isRestored(terminal), 'the terminal is restored');
  });

  for (const [signal, status] of [
    ['SIGTERM', 130],
    ['SIGHUP', 130],
    ['SIGINT', 130],
  ] as const)
    it(`restores the terminal on ${signal}`, async (t) => {
      const terminal = open(t, { columns: 80, rows: 24 });
      await terminal.shows('✖ BLOCKED 403');
      process.kill(processOf(terminal.value('pane_pid')), signal);
      await terminal.shows(`status ${status}`);
      await until(async () => isRestored(terminal), 'the terminal is restored');
    });

  it('restores the terminal after a crash', async (t) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'crash.mjs'), "process.on('SIGUSR2', () => { throw new Error('on purpose'); });\n");
    const terminal = open(t, { columns: 80, rows: 24 }, { folder, env: 'NODE_OPTIONS=--import=./crash.mjs' });
    await terminal.shows('✖ BLOCKED 403');
    process.kill(processOf(terminal.value('pane_pid')), 'SIGUSR2');
    await terminal.shows('on purpose');
    await until(async () => isRestored(terminal), 'the terminal is restored');
  });

  it('is the help where there is no terminal', async (t) => {
    const { shows } = openTerminal(t, `'${process.execPath}' '${program}' </dev/null; echo "status $?"; sleep 600`, {
      columns: 80,
      rows: 60,
    });
    await shows('status 2');
    await shows('Usage: guardcli <command>');
  });
});
