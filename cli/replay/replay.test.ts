import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { runCaptured, type Setting } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';
import '../testing/snapshots.ts';
import { logFile, logs } from '../../logs/access/testing/samples.ts';
import type { BlockedRequest, ReplayResult } from './result.ts';

const run = (log: Buffer | string, argv: readonly string[] = [], setting: Setting = {}) =>
  runCaptured(['replay', '-', ...argv], { stdin: log, ...setting });

async function lines(log: Buffer | string, argv: readonly string[] = []) {
  const { stdout } = await run(log, ['--json', ...argv]);
  const documents = stdout.split('\n').slice(0, -1);
  const result = JSON.parse(documents.pop() ?? '') as ReplayResult;
  return { blocked: documents.map((line) => JSON.parse(line) as BlockedRequest), result };
}

interface Entry {
  readonly address?: string;
  readonly target?: string;
  readonly status?: number;
  readonly referrer?: string;
}

/** Returns a log line of nginx. */
const entry = ({ address = '192.0.2.1', target = '/.env', status = 200, referrer = '-' }: Entry = {}): string =>
  `${address} - - [22/Nov/2026:13:50:09 +0000] "GET ${target} HTTP/1.1" ${status} 5 "${referrer}" "x"`;

const page = 'https://shop.example.com/';
const all = logFile(...Object.values(logs).flat());

describe('guardcli replay says', () => {
  it('that the mode of the policy is detect', async () => {
    const note = /^note: the mode of the policy is detect/;
    const of = async (mode: string, log: string) => {
      const cwd = scratch({ 'guard.json': JSON.stringify({ mode }) });
      return (await run(log, [], { cwd })).stderr;
    };
    assert.match(await of('detect', entry()), note);
    assert.doesNotMatch(await of('enforce', entry()), note);
    assert.doesNotMatch(await of('detect', entry({ target: '/' })), note);
  });
  it('first that the clients are those of a CDN, unless the policy trusts it', async () => {
    const log = logFile(...Array.from({ length: 9 }, (_, index) => entry({ address: `104.16.0.${index}` })), entry());
    const warning = /^warning: 9 of the 10 most frequent clients are addresses of Cloudflare: add trustedProxies: /;
    assert.match((await run(log)).stderr, warning);
    const cwd = scratch({ 'guard.json': '{"trustedProxies": ["cloudflare"]}' });
    assert.doesNotMatch((await run(log, [], { cwd })).stderr, /most frequent/);
  });
  it('that there is no request, with status 1', async () => {
    for (const log of ['', '\n\n']) {
      const { status, stderr } = await run(log);
      assert.deepEqual(
        [status, stderr],
        [1, 'warning: the log has no request; name one that does, such as a rotated one\n'],
      );
    }
  });
});

describe('guardcli replay shows', () => {
  it('counts, rules and suspects', async (t: TestContext) => {
    const log = logFile(...logs.nginx, '', 'garbage', entry(), entry({ address: '192.0.2.2', referrer: page }));
    t.assert.snapshot((await run(log)).stdout);
  });
  it('an empty log in few words', async () => {
    const { stdout } = await run('');
    assert.equal(
      stdout,
      '0 requests of 1 log\n  <stdin>  no known format  0 lines  0 requests\n\n  policy   the defaults\n  blocked  0\n  allowed  0\n',
    );
  });
  it('the count of one request and the address that sent it', async () => {
    const { stdout } = await run(entry());
    assert.match(stdout, / 1 line {2}1 request\n/);
    assert.match(stdout, / GET \/\.env \(1\), first from 192\.0\.2\.1\n/);
  });
  it('only printable characters', async () => {
    const log = logFile(
      ...logs.nginx,
      entry({ target: '/.env\\x1b[31m\x9b\xe9', referrer: `${page}\\x1b\x9b` }),
      '\x1b[31m',
    );
    const { stdout, stderr } = await run(log);
    assert.doesNotMatch(stdout + stderr, /[^\x20-\x7e\n]/);
    assert.match(stderr, /^warning: <stdin>:\d+: not in the format of the log: \\x1b\[31m$/m);
  });
  it('progress with the time that is left', async () => {
    const folder = scratch({ 'access.log': `${entry()}\n`.repeat(10_000) });
    let now = 0;
    const { stderr } = await runCaptured(['replay', 'access.log'], { cwd: folder, clock: () => (now += 1500) });
    assert.match(stderr, /^access\.log: \d+ %, [\d,]+ lines, \d+ MB\/s, \d+ s left\n/);
  });
  it('output of bounded length for any number of different requests', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) =>
      entry({ address: `10.0.${index >> 8}.${index % 256}`, target: `/${index}/.env`, referrer: page }),
    );
    const { stdout } = await run(logFile(...many));
    assert.ok(stdout.length < 10_000);
    assert.match(stdout, /\n {2}env-file +20,000 +20,000 +~\d\d,\d{3} /);
    assert.match(stdout, /there were too many different ones/);
  });
});

describe('guardcli replay --json', () => {
  it('prints each blocked request, and the counts as the last line', async () => {
    const { blocked, result } = await lines(logFile(logs.traefikJson[0], '{"level":"info"}'));
    const { address, host, method, status } = blocked[0]?.request ?? {};
    assert.deepEqual([blocked.length, method, host, address, status], [1, 'GET', 'shop.example.com', '127.0.0.1', 499]);
    assert.deepEqual([blocked[0]?.file, blocked[0]?.line, blocked[0]?.rule], ['<stdin>', 1, 'env-file']);
    assert.deepEqual(
      [result.requests, result.verdicts, result.files[0]?.unreadable],
      [1, { allowed: 0, blocked: 1 }, 1],
    );
  });
  it('counts every line once', async () => {
    const { result } = await lines(Buffer.concat([all, Buffer.from(`\n${'x'.repeat(300_000)}\n`)]), [
      '--format',
      'combined',
    ]);
    const {
      lines: total = 0,
      requests = 0,
      notRequests = 0,
      unreadable = 0,
      tooLong = 0,
      empty = 0,
    } = result.files[0] ?? {};
    assert.deepEqual([tooLong, empty, total], [1, 1, Object.values(logs).flat().length + 2]);
    assert.equal(requests + notRequests + unreadable + tooLong + empty, total);
  });
});

describe('a suspected false positive', () => {
  const suspects = async (log: readonly string[], argv: readonly string[] = []) =>
    (await lines(logFile(...log), argv)).result.suspects.rows.map(({ path }) => path);
  const linked = entry({ target: '/.env?a', referrer: page });
  it('had succeeded and was linked from the same site', async () => {
    assert.deepEqual(await suspects([linked]), ['/.env']);
    assert.deepEqual(await suspects([entry({ target: '/.env', status: 304, referrer: page })]), ['/.env']);
  });
  it('is not one that failed, had no referrer, or came from another site', async () => {
    const pages = Array(3).fill(entry({ target: '/', referrer: page }));
    const others = [entry(), entry({ status: 404, referrer: page }), entry({ referrer: 'https://example.org/' })];
    assert.deepEqual(await suspects([...pages, ...others]), []);
  });
  it('is of the host that the log or the user names', async () => {
    assert.deepEqual(await suspects([linked], ['--host', 'www.shop.example.com']), ['/.env']);
    assert.deepEqual(await suspects([linked], ['--host', 'example.org']), []);
    const caddy = logs.caddy[0].replace('"status":404', '"status":200');
    assert.equal((await suspects([caddy])).length, 1);
    assert.deepEqual(await suspects([caddy.replace('"host":"shop', '"host":"elsewhere')]), []);
  });
  it('counts once when it came with several methods', async () => {
    const methods = ['GET', 'HEAD', 'POST'];
    const cwd = scratch({ 'guard.json': JSON.stringify({ methods }) });
    const stdin = logFile(...methods.map((method) => linked.replace('GET', method)));
    const { stdout } = await runCaptured(['replay', '-', '--json'], { cwd, stdin });
    const { rows } = (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as ReplayResult).suspects;
    assert.deepEqual(
      rows.map(({ path, count }) => [path, count]),
      [['/.env', 3]],
    );
  });
  it('comes first when more clients sent it', async () => {
    const often = Array(5).fill(entry({ target: '/a/.env', referrer: page }));
    const widely = ['192.0.2.3', '192.0.2.4'].map((address) => entry({ address, target: '/b/.env', referrer: page }));
    assert.deepEqual(await suspects([...often, ...widely]), ['/b/.env', '/a/.env']);
  });
});

describe('what clients with blocked requests got', () => {
  const scanner = '192.0.2.9';
  const answered = async (log: readonly string[], argv: readonly string[] = []) =>
    (await lines(logFile(...log), argv)).result.answered;
  const paths = async (log: readonly string[]) => (await answered(log)).rows.map(({ path }) => path);
  const blocked = entry({ address: scanner, target: '/.env', status: 404 });
  it('is listed, before and after the blocked request', async () => {
    const got = ['/wp-login.php', '/phpmyadmin/?x=1'].map((target) => entry({ address: scanner, target }));
    const missed = entry({ address: scanner, target: '/admin', status: 404 });
    const { rows, total, exact } = await answered([got[0] ?? '', blocked, got[1] ?? '', got[1] ?? '', missed]);
    assert.deepEqual(
      rows.map(({ path, count, clients, address }) => [path, count, clients, address]),
      [
        ['/phpmyadmin/', 2, 1, scanner],
        ['/wp-login.php', 1, 1, scanner],
      ],
    );
    assert.deepEqual([total, exact], [2, true]);
  });
  it('includes a blocked request that had succeeded', async () => {
    assert.deepEqual(await paths([entry({ address: scanner })]), ['/.env']);
  });
  it('leaves out what others request more often, and clients without a blocked request', async () => {
    const home = entry({ address: scanner, target: '/' });
    const visits = ['192.0.2.1', '192.0.2.2'].map((address) => entry({ address, target: '/' }));
    assert.deepEqual(await paths([blocked, home, ...visits]), []);
    assert.deepEqual(await paths([blocked, home, visits[0] ?? '']), ['/']);
  });
  it('does not count a visitor who met a false positive', async () => {
    assert.deepEqual(await paths([entry({ target: '/.env', referrer: page }), entry({ target: '/account' })]), []);
  });
  it('is bounded for any number of clients and requests', async () => {
    const many = Array.from({ length: 6000 }, (_, index) => {
      const address = `10.0.${index >> 8}.${index % 256}`;
      return [entry({ address, status: 404 }), entry({ address, target: `/${index}` })];
    });
    const { rows, exact, total } = await answered(many.flat());
    assert.deepEqual([rows.length, exact, total], [30, false, 4096]);
    const one = Array.from({ length: 100 }, (_, index) => entry({ address: scanner, target: `/${index}` }));
    const bounded = await answered([blocked, ...one]);
    assert.deepEqual([bounded.total, bounded.exact], [32, false]);
  });
  it('is printed with the first address, escaped', async () => {
    const { stdout } = await run(logFile(blocked, entry({ address: scanner, target: '/a\x9b\\x1b[31m' })));
    assert.match(
      stdout,
      /\nAnswered with success .*\n {2}1 client {2}1 request {2}GET \/a\\x9b\\x1b\[31m {2}first 192\.0\.2\.9\n/,
    );
  });
});

describe('a line without a host', () => {
  it('is evaluated with the site that most referrers name, for exceptions with hosts', async () => {
    const exception = { rules: ['env-file', 'hidden-seg'], path: '^/\\.env$', hosts: ['shop.example.com'] };
    const cwd = scratch({ 'guard.json': JSON.stringify({ exceptions: [exception] }) });
    const verdicts = async (...log: readonly string[]) => {
      const { stdout } = await runCaptured(['replay', '-', '--json'], { cwd, stdin: logFile(...log) });
      return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as ReplayResult).verdicts;
    };
    const linked = entry({ referrer: page });
    assert.deepEqual(await verdicts(linked, entry()), { allowed: 2, blocked: 0 });
    assert.deepEqual(await verdicts(entry({ referrer: 'https://other.example/' }), entry()), {
      allowed: 0,
      blocked: 2,
    });
  });
});

describe('the command of a suspect', () => {
  it('makes an exception', async () => {
    const { stdout } = await run(logFile(entry({ target: "/it's/.env", referrer: page })), [
      '--host',
      'shop.example.com',
    ]);
    assert.match(stdout, /\n {4}guardcli allow '\/it'\\''s\/\.env' --host shop\.example\.com\n/);
  });
  const host = ['--host', 'shop.example.com'];
  it('proposes an exception, also where the query or a named policy blocks it', async () => {
    const policy = '{"checkQuery":true,"blockPatterns":["^http:"]}';
    const cwd = scratch({ 'guard.json': policy, "it's.json": policy });
    const targets = ['/search?file=../../etc/passwd&q=a%20b', '/.env', 'http://shop.example.com/.env?x'];
    for (const named of [[], ['-c', 'guard.json'], ['-c', "it's.json"]])
      for (const target of targets) {
        const log = logFile(entry({ target, referrer: page }));
        const { stdout } = await run(log, [...host, ...named], { cwd });
        const [, line = ''] = /^ {4}guardcli (allow .*)$/m.exec(stdout) ?? [];
        const words = execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
          .trimEnd()
          .split('\n');
        assert.equal(words.includes('-c'), named.includes("it's.json"), line);
        const allowed = await runCaptured([...words, '--json'], { cwd });
        assert.deepEqual(JSON.parse(allowed.stdout || '{}').status, 'proposed', `${line}: ${allowed.stderr}`);
      }
  });
  it('names standard input as its policy, where the policy was read from there', async () => {
    const cwd = scratch({ log: logFile(entry({ referrer: page })) });
    const { stdout } = await runCaptured(['replay', 'log', '-c', '-'], { cwd, stdin: '{}' });
    assert.match(stdout, /\n {4}guardcli allow \/\.env -c -\n/);
  });
  it('is missing for a target of which only the start is kept, or that it does not take', async () => {
    for (const target of [`/${'a/'.repeat(200)}.env`, `/.env?${'a'.repeat(300)}`, '-x/.env', '/caf\\xE9/.env']) {
      const { stdout } = await run(logFile(entry({ target, referrer: page })), ['--host', 'shop.example.com']);
      assert.match(stdout, /\nSuspected false positives/);
      assert.doesNotMatch(stdout, /guardcli allow/, target);
    }
  });
});

describe('the policy of a replay', () => {
  it('sees host, address and headers of the line', async () => {
    const verdicts = async (policy: object, ...log: readonly string[]) => {
      const folder = scratch({ 'guard.json': JSON.stringify(policy) });
      return (await lines(logFile(...log), ['-c', join(folder, 'guard.json')])).result.verdicts;
    };
    const [vhost, caddy] = [logs.apacheVhost[0], logs.caddy[1]];
    const exceptions = [{ rules: ['env-file', 'hidden-seg'], path: '^/\\.env$', hosts: ['localhost'] }];
    assert.deepEqual(await verdicts({ exceptions }, vhost, logs.nginx[0]), { allowed: 1, blocked: 1 });
    assert.deepEqual(await verdicts({ allowedIps: ['127.0.0.1'] }, vhost, entry()), { allowed: 1, blocked: 1 });
    const hostile = caddy.replace('"Connection":["close"]', '"X-Original-Url":["/.env"]');
    assert.deepEqual(await verdicts({ checkHeaders: ['X-Original-URL'] }, caddy, hostile), { allowed: 1, blocked: 1 });
  });
  it('gets a note about what logs do not contain', async () => {
    const folder = scratch({ 'guard.json': JSON.stringify({ checkBody: true, checkHeaders: ['X-A'] }) });
    const { stderr } = await run(all, ['-c', join(folder, 'guard.json')]);
    assert.match(
      stderr,
      /^note: the policy inspects bodies.*\nnote: the policy inspects headers, which only logs of Caddy /,
    );
  });
});

describe('the logs of a replay', () => {
  it('are several files, compressed or not, each in its format', async () => {
    const folder = scratch({ a: logFile(...logs.caddy), b: gzipSync(logFile(...logs.nginx)) });
    const { stdout, status } = await runCaptured(['replay', 'a', 'b', '-'], {
      cwd: folder,
      stdin: logFile(logs.traefikJson[0]),
    });
    assert.equal(status, 0);
    assert.match(stdout, /^11 requests of 3 logs\n {2}a +Caddy .*\n {2}b +combined .*\n {2}<stdin> +Traefik /);
  });
  it('may be damaged: what comes before is counted', async () => {
    const packed = gzipSync(logFile(...Array(5000).fill(entry())));
    const folder = scratch({ 'a.gz': packed.subarray(0, packed.length - 20) });
    const { stderr, status } = await runCaptured(['replay', 'a.gz'], { cwd: folder });
    assert.deepEqual([status, /warning: a\.gz: the gzip data ends early/.test(stderr)], [0, true]);
  });
  it('may be empty', async () => assert.match((await run('')).stdout, /^0 requests of 1 log\n/));
  it('are refused when they are events, with the command that reads them', async () => {
    const { status, stderr } = await run('{"type": "guard_block", "host": "a"}\n');
    assert.equal(status, 2);
    assert.match(stderr, /guardcli dashboard report reads such files/);
  });
  it('are refused in an unknown format, with the line and what to do', async () => {
    const { stdout, stderr, status } = await run('\nhello\x1b world\n');
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^error: no line of <stdin> is in a known format; line 2 is: hello\\x1b world\. .*--format/);
  });
  it('are refused when a server or another compression wrote them, with what reads them', async () => {
    assert.match((await run('sshd[1]: Failed password for root from 192.0.2.1')).stderr, /guardcli replay --bans$/m);
    const { stderr } = await run(Buffer.from('fd377a585a0000e9', 'hex'));
    assert.match(
      stderr,
      /line 1 is: \\xfd7zXZ\\x00\\x00\\xe9\. .*: pipe others in, as in xz -dc access\.log\.xz \| guardcli replay -/,
    );
  });
  it('are refused with a name that the system does not take', async () => {
    const { status, stderr } = await runCaptured(['replay', 'n'.repeat(300)]);
    assert.equal(status, 2);
    assert.match(stderr, /^error: cannot read n+: ENAMETOOLONG: /);
  });
  it('are refused when the same file is named twice, whose lines would count twice', async () => {
    const cwd = scratch({ 'a.log': entry() });
    symlinkSync('a.log', join(cwd, 'b.log'));
    const refusal = async (...files: string[]) => (await runCaptured(['replay', ...files], { cwd })).stderr;
    assert.match(
      await refusal('a.log', 'a.log'),
      /^error: a\.log is named twice\. Its lines would count twice: name it/,
    );
    assert.match(await refusal('a.log', './b.log'), /^error: \.\/b\.log and a\.log are the same file\./);
  });
  it('are refused when absent, or when standard input is named twice', async () => {
    assert.match((await runCaptured(['replay', 'absent.log'])).stderr, /^error: cannot read absent\.log: no such file/);
    assert.match((await run('', ['-'])).stderr, /^error: standard input is used twice\./);
    assert.match((await run('', ['-c', '-'])).stderr, /^error: standard input is used twice\./);
  });
});

describe('a log in JSON', () => {
  const admin =
    '{"level":"info","logger":"admin.api","msg":"received request","method":"POST","host":"localhost:2019","uri":"/load"}';
  const events = ['guard_block', 'guard_detect', 'guard_block_summary', 'security_event'].map((type) =>
    JSON.stringify({ type, method: 'GET', host: 'shop.example.com', path: '/.env', request_uri: '/.env' }),
  );
  it('of Caddy may begin with requests to its admin API or events of the guard, which are not requests', async () => {
    for (const first of [admin, ...events]) {
      const { result } = await lines(logFile(first, ...logs.caddy));
      const { format, requests, unreadable } = result.files[0] ?? {};
      assert.deepEqual([format, requests, unreadable], ['caddy', 3, 1], first);
    }
  });
  it('may contain events of the guard, which are not requests', async () => {
    const { result } = await lines(logFile(...events, admin, logs.nginxJson[0]), ['--format', 'json']);
    assert.deepEqual([result.files[0]?.requests, result.files[0]?.unreadable], [1, 5]);
  });
  it('of Caddy has a request that failed once, although its error is logged too', async () => {
    const access = logs.caddy[2].replace('"status":404', '"status":502');
    const error = access.replace('"http.log.access.log0","msg":"handled request"', '"http.log.error.log0","msg":"EOF"');
    const { blocked, result } = await lines(logFile(error, access));
    assert.deepEqual([blocked.length, result.requests, result.files[0]?.format], [1, 1, 'caddy']);
  });
  it('has the format of the server, although another program wrote JSON with a path first', async () => {
    const other = '{"level":"warn","logger":"pki.ca.local","msg":"installing root certificate","path":"storage:pki"}';
    for (const [format, log] of [
      ['caddy', logs.caddy],
      ['traefik', logs.traefikJson],
      ['combined', logs.nginx],
    ] as const) {
      const { result } = await lines(logFile(other, ...log));
      const { result: alone } = await lines(logFile(...log));
      assert.deepEqual([result.files[0]?.format, result.requests], [format, alone.requests]);
    }
  });
});
