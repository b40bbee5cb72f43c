/** Tests `guardcli dashboard report`: its numbers, lists and pages, damaged files, and invalid options. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { freePort } from '../../platform/free-ports.ts';
import { runCaptured, type Setting } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';
import type { ReportResult } from './result.ts';
import { auditLine, blockLine, linesText, minutesAgo, now } from './testing/examples.ts';

const run = (argv: readonly string[], setting: Setting = {}) =>
  runCaptured(['dashboard', 'report', ...argv], { now, ...setting });

async function reportOf(stdin: string | Uint8Array, ...argv: readonly string[]): Promise<ReportResult> {
  const { stdout, stderr, status } = await run(['-', '--json', ...argv], { stdin });
  assert.deepEqual({ stderr, status }, { stderr: '', status: 0 });
  return JSON.parse(stdout) as ReportResult;
}

const lines = linesText([
  ...Array.from({ length: 30 }, (_, index) => blockLine({ timestamp: minutesAgo(index) })),
  ...Array.from({ length: 12 }, (_, index) =>
    blockLine({ client_ip: `198.51.100.${index}`, rule_id: 'custom', path: '/news' }),
  ),
  blockLine({ type: 'guard_detect', gateway: 'nginx' }),
  JSON.stringify({ type: 'guard_block_summary', timestamp: minutesAgo(1), gateway: 'caddy', count: 100 }),
  auditLine({ count: 7 }),
  auditLine({ action: 'auth_failure', client_ip: '2001:db8::1' }),
  auditLine({ action: 'banned', client_ip: '2001:db8::2' }),
]);

describe('the numbers of a report', () => {
  it('are those of the events', async () => {
    const { totals, undetailed, events, sources, rules } = await reportOf(lines);
    assert.deepEqual(totals, { blocked: 149, detected: 1, auth_failure: 1, banned: 1, unbanned: 0, allowed: 0 });
    assert.deepEqual({ undetailed, events }, { undetailed: 100, events: 47 });
    const bySource = sources.rows.map(({ source, blocked, detected }) => [source, blocked, detected]);
    assert.deepEqual(bySource, [
      ['caddy', 142, 0],
      ['tcp-guard', 7, 0],
      ['nginx', 0, 1],
    ]);
    const byRule = rules.rows.map(({ layer, rule, count, detected, clients }) => [
      layer,
      rule,
      count,
      detected,
      clients,
    ]);
    assert.deepEqual(byRule, [
      ['gateway', 'env-file', 31, 1, 1],
      ['gateway', 'custom', 12, 0, 12],
      ['tcp-guard', 'ban', 7, 0, 1],
    ]);
  });
  it('contain the bans of networks', async () => {
    const networks = ['203.0.113.0/24', '2001:db8::/32', '192.0.2.7/32'];
    const events = networks.flatMap((client_ip) =>
      ['banned', 'unbanned'].map((action) => auditLine({ action, client_ip })),
    );
    const { totals, addresses } = await reportOf(linesText(events));
    assert.deepEqual([totals.banned, totals.unbanned], [3, 3]);
    assert.deepEqual(addresses.rows.map(({ address }) => address).sort(), networks.toSorted());
  });
  it('have the reference of the newest request of a rule', async () => {
    const of = (reference: unknown, minutes: number) => blockLine({ reference, timestamp: minutesAgo(minutes) });
    const events = [of('0000000001', 3), of('0000000002', 2), of('<b>', 1), of(undefined, 1), of('0000000003', 4)];
    const { rules } = await reportOf(linesText([...events, auditLine()]));
    assert.deepEqual(
      rules.rows.map(({ reference }) => reference),
      ['0000000002', null],
    );
    assert.match((await run(['-'], { stdin: linesText(events) })).stdout, />0000000002</);
  });
  it('over time add up to all that was blocked', async () => {
    const { timeline, totals } = await reportOf(lines);
    for (const series of [timeline.bySource, timeline.byRule]) {
      const sum = series.flatMap(({ counts }) => counts).reduce((all, count) => all + count);
      assert.equal(sum, totals.blocked + totals.detected);
    }
    assert.deepEqual(
      timeline.bySource.map(({ name }) => name),
      ['caddy', 'tcp-guard', 'nginx'],
    );
  });
});

describe('the lists of a report', () => {
  it('come with a notice when most clients are addresses of a CDN', async () => {
    const blocks = Array.from({ length: 9 }, (_, index) => blockLine({ client_ip: `104.16.0.${index}` }));
    const { stderr } = await run(['-'], { stdin: linesText([...blocks, blockLine()]) });
    assert.match(
      stderr,
      /^warning: 9 of the 10 most frequent clients are addresses of Cloudflare: add trustedProxies: /,
    );
    assert.deepEqual((await reportOf(linesText([blockLine()]))).notices, []);
  });
  it('join what an address did on both layers, and IPv6 addresses of one client', async () => {
    const { addresses, bothLayers } = await reportOf(lines);
    const [first] = bothLayers.rows;
    assert.equal(bothLayers.distinct, 1);
    assert.deepEqual(
      [first?.address, first?.gateways, first?.tcpGuard.blocked, first?.country, first?.firstAt],
      ['192.0.2.1', { blocked: 30, detected: 1 }, 7, 'DE', 'gateway'],
    );
    const network = addresses.rows.find(({ address }) => address === '2001:db8::/64');
    assert.deepEqual([network?.tcpGuard.auth_failure, network?.tcpGuard.banned], [1, 1]);
  });
  it('list translated addresses separately', async () => {
    const clients = ['64:ff9b::c000:201', '64:ff9b::c000:202'];
    const { addresses } = await reportOf(linesText(clients.map((ip) => blockLine({ client_ip: ip }))));
    assert.deepEqual(addresses.rows.map(({ address }) => address).sort(), clients);
  });
  it('show a rule that many clients run into once as a possible false positive, and no other', async () => {
    const scan = Array.from({ length: 60 }, (_, index) =>
      blockLine({ client_ip: `203.0.113.${index % 12}`, rule_id: 'scan' }),
    );
    const few = Array.from({ length: 9 }, (_, index) => blockLine({ client_ip: `203.0.113.${index}`, rule_id: 'few' }));
    const { suspects } = await reportOf(lines + linesText([...scan, ...few]));
    assert.deepEqual(
      suspects.map(({ rule, clients, perClient, paths }) => ({ rule, clients, perClient, paths })),
      [{ rule: 'custom', clients: 12, perClient: 1, paths: [{ path: '/news', count: 12 }] }],
    );
  });
  it('hold only the time that is asked for', async () => {
    const { stdout, stderr } = await run(['-', '--json', '--since', '15m'], { stdin: lines });
    const { totals, skipped } = JSON.parse(stdout) as ReportResult;
    assert.equal(stderr, '');
    assert.deepEqual([totals.blocked, totals.detected, skipped.older], [16 + 12 + 100, 1, 14 + 3]);
  });
  it('are compared with the period before, which has the same length', async () => {
    const ages = [0, 5, 14, 16, 29, 31, 40];
    const events = linesText(ages.map((age) => blockLine({ timestamp: minutesAgo(age) })));
    const { totals, before } = await reportOf(events, '--since', '15m');
    assert.deepEqual([totals.blocked, before?.blocked], [3, 2]);
    const { stdout } = await run(['-', '--since', '15m'], { stdin: events });
    assert.match(stdout, /<dt>Blocked<\/dt><dd>3<\/dd><dd class="before">period before: 2<\/dd>/);
    const recent = linesText([blockLine({ timestamp: minutesAgo(1) })]);
    for (const argv of [['--since', '15m'], []]) assert.equal((await reportOf(recent, ...argv)).before, null);
  });
});

const logLine = (address: string, path: string, status: number): string =>
  `${address} - - [21/Nov/2026:23:00:00 +0000] "GET ${path} HTTP/1.1" ${status} 9 "-" "-"`;

describe('a file of guardcli replay', () => {
  const log = linesText([
    ...['/.env', '/wp-login.php', '/<b>caf\u00e9'].map((path) =>
      logLine('192.0.2.9', path, path === '/.env' ? 404 : 200),
    ),
    logLine('198.51.100.1', '/news', 200),
  ]);
  const replayed = async (text: string): Promise<string> =>
    (await runCaptured(['replay', '-', '--json'], { now, stdin: text })).stdout;

  it('adds what clients with blocked requests got', async () => {
    const { stdout, stderr, status } = await run(['-', '--json'], {
      stdin: `${blockLine()}\n${await replayed(log)}`,
    });
    const { answered, totals, skipped } = JSON.parse(stdout) as ReportResult;
    assert.deepEqual({ stderr, status }, { stderr: '', status: 0 });
    assert.deepEqual(
      answered?.rows.map(({ path, clients, count, address }) => [path, clients, count, address]),
      [
        ['/wp-login.php', 1, 1, '192.0.2.9'],
        ['/<b>caf\u00c3\u00a9', 1, 1, '192.0.2.9'],
      ],
    );
    assert.deepEqual([totals.blocked, skipped.replayed, skipped.otherRecords], [1, 1, 0]);
  });
  it('joins several, and shows them on the page', async () => {
    const { stdout } = await run(['-'], { stdin: (await replayed(log)) + (await replayed(log)) });
    assert.equal(stdout.match(/<th scope="row">GET \/wp-login\.php<\/th>/g)?.length, 2);
    assert.match(stdout, /GET \/&lt;b&gt;caf\u00e9</);
    assert.match((await run(['-'], { stdin: blockLine() })).stdout, /guardcli replay access\.log --json/);
  });
  it('that is damaged is not counted, and one of another program is not taken for it', async () => {
    const row = { method: 'GET', host: null, path: '/', clients: 1, count: 1, others: 0, address: '192.0.2.9' };
    const of = (changes: object) => ({
      type: 'summary',
      answered: { rows: [{ ...row, ...changes }], total: 1, exact: true },
    });
    const bad = [{ path: 7 }, { count: -1 }, { host: undefined }, { clients: '1' }].map(of);
    const others = [{ type: 'summary' }, { type: 'blocked' }, { type: 'summary', answered: 3 }];
    const events = linesText([...bad, ...others, of({})].map((one) => JSON.stringify(one)));
    const { answered, skipped } = await reportOf(`${events}${JSON.stringify({ type: 'summary', answered: {} })}\n`);
    assert.deepEqual([answered?.total, skipped.malformed, skipped.otherRecords], [1, 5, 3]);
  });
});

describe('what is not counted is said', () => {
  const hostile = linesText([
    blockLine(),
    'not JSON \x1b[2J <script>',
    '{"type":"other"}',
    '',
    blockLine({ client_ip: 'nowhere' }),
    blockLine({ path: 7 }),
    blockLine({ timestamp: '2031-01-01T00:00:00Z' }),
    blockLine({ timestamp: '1970-01-01T00:00:00Z' }),
    'x'.repeat(1024 * 1024),
    '{"__proto__":{"type":"guard_block"},"type":"__proto__"}',
  ]);
  it('in the document', async () => {
    const { events, lines: read, skipped } = await reportOf(hostile);
    assert.deepEqual([events, read], [1, 10]);
    assert.deepEqual(skipped, {
      notJson: 1,
      otherRecords: 2,
      malformed: 2,
      replayed: 0,
      tooLong: 1,
      wrongTime: 2,
      older: 0,
    });
  });
  it('on standard error and on the page', async () => {
    const { stdout, stderr, status } = await run(['-'], { stdin: hostile });
    assert.equal(status, 0);
    assert.match(stderr, /^not counted: lines that are not JSON: 1\n/);
    assert.match(
      stdout,
      /<th scope="row">events with missing or wrong members<\/th><td class="n" data-title="Number"><span>2<\/span><\/td>/,
    );
  });
});

const packed = gzipSync(lines);
const folderWith = () =>
  scratch({ 'plain.jsonl': lines, 'packed.gz': packed, 'cut.gz': packed.subarray(0, packed.length - 20) });

describe('an access log', () => {
  it('has a note that names the command for it, unless there is an event', async () => {
    const log = '192.0.2.1 - - [21/Nov/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 5\n';
    assert.match(
      (await run(['-'], { stdin: log })).stderr,
      /\nnote: no line is an event; .*guardcli replay access\.log --json/,
    );
    assert.doesNotMatch((await run(['-'], { stdin: log + lines })).stderr, /note:/);
  });
});

describe('files', () => {
  const eventsOf = async (cwd: string, ...files: string[]) => {
    const { stdout, status } = await run([...files, '--json'], { cwd });
    assert.equal(status, 0);
    return JSON.parse(stdout) as ReportResult;
  };

  it('are read one after the other, compressed ones too', async () => {
    const { files, events } = await eventsOf(folderWith(), 'plain.jsonl', 'packed.gz');
    assert.deepEqual(files, [
      { name: 'plain.jsonl', lines: 47, events: 47 },
      { name: 'packed.gz', lines: 47, events: 47 },
    ]);
    assert.equal(events, 94);
  });
  it('are read compressed from standard input, byte by byte', async () => {
    async function* bytes() {
      for (const byte of packed) yield Buffer.of(byte);
    }
    const { stdout } = await run(['-', '--json'], { stdin: bytes() });
    assert.equal((JSON.parse(stdout) as ReportResult).events, 47);
  });
  it('that end in the middle of compressed data are counted so far, with a warning', async () => {
    const cwd = folderWith();
    const { files } = await eventsOf(cwd, 'plain.jsonl', 'cut.gz');
    assert.match(files[0]?.problem ?? '', /ends early/);
    assert.equal(files[1]?.events, 47);
    assert.match(
      (await run(['cut.gz', '-o', 'page.html'], { cwd })).stderr,
      /^warning: cut\.gz: the gzip data ends early/m,
    );
  });
  it('that are damaged are counted so far, with a warning', async () => {
    const damaged = Buffer.from(packed).fill(0xff, 40, 60);
    const { stdout, status } = await run(['-', '--json'], { stdin: damaged });
    assert.equal(status, 0);
    assert.match((JSON.parse(stdout) as ReportResult).files[0]?.problem ?? '', /damaged/);
  });
  for (const [name, file, code] of [
    ['absent', 'gone.jsonl', 'file_absent'],
    ['a folder', '.', 'file_is_folder'],
  ] as const)
    it(`that are ${name} are an error`, async () => {
      const { stdout, stderr, status } = await run([file, '--json'], { cwd: scratch() });
      assert.deepEqual({ stdout, status }, { stdout: '', status: 2 });
      assert.equal((JSON.parse(stderr) as { error: { code: string } }).error.code, code);
    });
});

describe('the file of the page', () => {
  it('is never one of the event files', async () => {
    const cwd = folderWith();
    const { status, stderr } = await run(['plain.jsonl', '-o', './plain.jsonl'], { cwd });
    assert.equal(status, 2);
    assert.match(stderr, /is one of the event files/);
    assert.equal(readFileSync(join(cwd, 'plain.jsonl'), 'utf8'), lines);
  });
  it('has what is printed without --output, and a summary is printed', async () => {
    const cwd = folderWith();
    const { status, stdout } = await run(['plain.jsonl', '-o', 'page.html'], { cwd });
    assert.deepEqual(
      { status, stdout },
      { status: 0, stdout: 'page.html: 47 events of 1 file, 149 blocked, 1 in mode detect\n' },
    );
    const printed = await run(['plain.jsonl'], { cwd });
    assert.equal(readFileSync(join(cwd, 'page.html'), 'utf8'), printed.stdout);
  });
  it('named - is standard output', async () => {
    const cwd = folderWith();
    const printed = await run(['plain.jsonl'], { cwd });
    assert.deepEqual(await run(['plain.jsonl', '-o', '-'], { cwd }), printed);
    assert.ok(!existsSync(join(cwd, '-')));
  });
  it('that cannot be written is an error', async () => {
    const cwd = folderWith();
    const missing = `the folder ${cwd}/no does not exist. Create it, or name a file in a folder that you can write to.\n`;
    for (const [page, reason] of [
      ['no/page.html', missing],
      ['.', 'it is a folder'],
      ['n'.repeat(300), 'ENAMETOOLONG'],
    ] as const) {
      const { status, stderr } = await run(['plain.jsonl', '-o', page], { cwd });
      assert.equal(status, 2);
      assert.ok(stderr.startsWith(`error: cannot write ${page}: ${reason}`), stderr);
    }
    assert.equal((await run(['plain.jsonl', '-o', '/dev/full'], { cwd })).status, 3);
  });
});

describe('misuse', () => {
  for (const since of ['yesterday', '0s', 'permanent', '-1h', '999999999d'])
    it(`--since ${since}`, async () => assert.equal((await run(['-', `--since=${since}`])).status, 2));
  it('without a file and without Loki', async () => {
    const { status, stderr } = await run(['--loki-port', String(await freePort())], { now: Date.now() });
    assert.equal(status, 3);
    assert.match(
      stderr,
      /^error: Loki does not respond at http:\/\/127\.0\.0\.1:\d+: connection refused\. Start it with .*, or name event files\.\n$/,
    );
  });
  it('with a port that is not a port, also with files', async () => {
    const { status, stderr } = await run(['-', '--loki-port', 'abc']);
    assert.deepEqual([status, stderr.slice(0, 27)], [2, 'error: --loki-port is "abc"']);
  });
  it('with standard input twice', async () => assert.equal((await run(['-', '-'])).status, 2));
});
