import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type LokiProcess, skip as skipLoki, startLoki } from '../../artefacts/testing/loki.ts';
import type { ReportResult } from '../../cli/report/result.ts';
import { auditLine, blockLine, linesText } from '../../cli/report/testing/examples.ts';
import type { WatchDocument } from '../../cli/watch/document.ts';
import { until } from '../../platform/testing/until.ts';
import { program, temporaryFile } from '../support/guardcli.ts';
import { openTerminal, skip as skipTmux } from '../support/tmux.ts';
import { pushEvents } from './loki-events.ts';

/** Lines for Loki: more than it returns in one response, and some with the same time. */
const start = Date.now() - 40 * 60_000;
const lines = Array.from({ length: 12_000 }, (_, index) => {
  const timestamp = new Date(start + Math.floor(index / 3) * 500).toISOString();
  const common = { timestamp, client_ip: `192.0.2.${index % 7}` };
  if (index % 4 === 3) return auditLine({ ...common, action: index % 8 === 3 ? 'blocked' : 'auth_failure' });
  const gateway = (['caddy', 'traefik', 'nginx'] as const)[index % 3];
  const type = index % 10 === 0 ? 'guard_detect' : 'guard_block';
  return blockLine({
    ...common,
    type,
    gateway,
    rule_id: `rule-${index % 5}`,
    path: `/${index % 200}`,
    request_uri: `/${index}`,
  });
});

type Event = Readonly<Record<string, string>>;
const events = lines.map((line) => JSON.parse(line) as Event);
const numberOf = (isCounted: (event: Event) => boolean): number => events.filter(isCounted).length;
const isDetected = ({ type }: Event): boolean => type === 'guard_detect';
const isFailure = ({ action }: Event): boolean => action === 'auth_failure';
const isBlocked = (event: Event): boolean => !isDetected(event) && !isFailure(event);

interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function guardcli(...args: readonly string[]): Promise<Run> {
  const run = promisify(execFile)(process.execPath, [program, 'dashboard', ...args], { maxBuffer: 2 ** 26 });
  return run.then(
    (output) => ({ status: 0, ...output }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ status: code, stdout, stderr }),
  );
}

const sum = (values: readonly number[] = []): number => values.reduce((all, value) => all + value, 0);

let loki: LokiProcess;
before(async () => {
  if (skipLoki) return;
  loki = await startLoki();
  Object.assign(process.env, loki.settings);
  for (let at = 0; at < lines.length; at += 2000) await pushEvents(loki.address, lines.slice(at, at + 2000));
});
after(() => loki?.remove());

describe('the dashboards, printed', { skip: skipLoki }, () => {
  it('have the numbers of the source as data', async () => {
    const { stdout, status } = await guardcli('watch', '--json', `--loki-port=${loki.port}`, '--since=1h');
    assert.equal(status, 0);
    const { panels } = JSON.parse(stdout) as WatchDocument;
    const panel = (title: string) => panels.find((one) => one.title === title) ?? assert.fail(title);
    const total = (title: string) => sum(panel(title).values?.map(({ value }) => value));
    const totals = ['Blocked', 'Detected', 'Failed logins'].map(total);
    assert.deepEqual(totals, [isBlocked, isDetected, isFailure].map(numberOf));
    const byAddress = panel('Addresses').values?.map(({ name, value }) => [name, value]) ?? [];
    assert.equal(byAddress.length, 7);
    for (const [address, count] of byAddress)
      assert.equal(
        count,
        numberOf((event) => event.client_ip === address && !isFailure(event)),
        String(address),
      );
    const overTime = panel('Gateways over time').series ?? [];
    const sums = new Map(overTime.map(({ name, values }) => [name, sum(values)]));
    const outcomes = { blocked: isBlocked, detected: isDetected };
    for (const gateway of ['caddy', 'traefik', 'nginx'])
      for (const [outcome, isOf] of Object.entries(outcomes))
        assert.equal(
          sums.get(`${gateway} ${outcome}`) ?? 0,
          numberOf((event) => event.gateway === gateway && isOf(event)),
        );
  });
  it('are frames of printable characters, each with its data', async () => {
    const port = `--loki-port=${loki.port}`;
    for (const uid of ['guard-overview', 'guard-address', 'guard-layer4', 'guard-live', 'guard-world']) {
      const { stdout, stderr, status } = await guardcli('watch', '--once', port, '--since=1h', '--dashboard', uid);
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, stdout);
      assert.match(stdout, /^[\x20-\x7e\n\u2026\u2500\u2580-\u259f\u25a0]*$/);
      for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
    }
    const { stdout } = await guardcli('watch', '--once', port, '--since=1h');
    assert.match(stdout, new RegExp(`─ Blocked ─.*\n${numberOf(isBlocked).toLocaleString('en-US')} `));
  });
  it('end with a clear error while Loki is not there', async () => {
    const { stdout, stderr, status } = await guardcli('watch', '--once', '--loki-port=9');
    assert.deepEqual([stdout, status], ['', 3]);
    assert.match(stderr, /^error: Loki does not respond at http:\/\/127\.0\.0\.1:9: .*`guardcli dashboard up`/);
  });
});

describe('Loki', { skip: skipLoki }, () => {
  it('is queried with LogQL', async () => {
    const port = `--loki-port=${loki.port}`;
    const counts = await guardcli('query', 'sum by (gateway) (count_over_time({app="request-guard"}[$__range]))', port);
    const audited = numberOf(({ type }) => type === 'security_event');
    assert.match(counts.stdout, new RegExp(`gateway=tcp-guard +${audited.toLocaleString('en-US')}\n`));
    const found = await guardcli('query', '{gateway="caddy"} | path=~"/11."', port, '--json');
    const { lines: caddy } = JSON.parse(found.stdout) as { readonly lines: readonly { readonly line: string }[] };
    assert.deepEqual(
      caddy.map(({ line }) => line),
      lines.filter((line) => line.includes('"gateway":"caddy"') && /"path":"\/11."/.test(line)),
    );
    const wrong = await guardcli('query', '{gateway=', port);
    assert.match(wrong.stderr, /^error: the LogQL query is not valid at line 1, column 10: syntax error/);
    assert.equal(wrong.status, 2);
  });
  it('gives the same report as the files', async () => {
    const file = temporaryFile('events.jsonl', linesText(lines));
    const numbers = async (...args: readonly string[]) => {
      const { stdout } = await guardcli('report', '--json', ...args);
      const { generated: _, since: _since, files, isOfLoki: _isOfLoki, ...same } = JSON.parse(stdout) as ReportResult;
      return { ...same, counted: files.map((one) => [one.lines, one.events]) };
    };
    assert.deepEqual(await numbers(`--loki-port=${loki.port}`), await numbers(file, '--since=24h'));
  });
});

const size = { columns: 120, rows: 40 } as const;
const hostilePath = '/\x1b[2J\x1b]0;owned\x07\u202e<script>';
const push = (path: string, client_ip: string) =>
  pushEvents(loki.address, [blockLine({ timestamp: new Date().toISOString(), path, request_uri: path, client_ip })]);
const watching = () => `'${process.execPath}' '${program}' dashboard watch --loki-port ${loki.port} --since 1h`;

describe('what is being blocked, in a terminal', { skip: skipLoki || skipTmux }, () => {
  it('is listed with its commands, follows new events and outlives Loki', async (t) => {
    const terminal = openTerminal(t, `stty -g; ${watching()}; echo "status $?"; stty -g; read -r`, size);
    await terminal.shows(/1m +1h +from +by/);
    await terminal.shows(/ rule-\d caddy/);
    assert.equal(terminal.value('alternate_on'), '1');
    await push(hostilePath, '198.51.100.9');
    await terminal.shows(/ 1 +1 +198\.51\.100\.9 +env-file caddy/);
    await terminal.shows('example.com/\\x1b[2J\\x1b]0;owned\\x07\\u{202e}<s…');
    await terminal.shows('$ guardcli explain env-file');
    terminal.press('b');
    await terminal.shows('$ guardcli bans add --ip 198.51.100.9');
    assert.doesNotMatch(terminal.bytes(), /owned\x07|\x1b\[2J\x1b\]0;/);
    terminal.resize({ columns: 60, rows: 15 });
    await terminal.shows(/▸ ban +guardcli bans add/);
    terminal.resize({ columns: 300, rows: 80 });
    await terminal.shows(/from +by.*What to type about/s);
    await loki.stop();
    await terminal.shows(/Loki does not respond at .*ban tcp-guard/s);
    await loki.start();
    await push('/again', '198.51.100.10');
    await terminal.shows(/ 1 +1 +198\.51\.100\.10 +env-file caddy/);
    assert.doesNotMatch(terminal.screen(), /Loki does not respond/);
    terminal.press('q');
    await terminal.shows('status 0');
    // stty prints the terminal settings after the exit status.
    const settings = () => terminal.screen().match(/^[0-9a-f]+(?::[0-9a-f]+)+$/gm) ?? [];
    await until(() => settings().length === 2, 'the settings of the terminal');
    assert.equal(new Set(settings()).size, 1, 'the terminal has its settings again');
    assert.deepEqual([terminal.value('alternate_on'), terminal.value('cursor_flag')], ['0', '1']);
  });
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    it(`is left by ${signal}`, async (t) => {
      const file = temporaryFile('pid', '');
      const line = `(echo $BASHPID > ${file}; exec ${watching()}); echo "status $?"; read -r`;
      const terminal = openTerminal(t, line, size);
      await terminal.shows('q quit');
      process.kill(Number(readFileSync(file, 'utf8')), signal);
      await terminal.shows('status 130');
      assert.deepEqual([terminal.value('alternate_on'), terminal.value('cursor_flag')], ['0', '1']);
    });
});
