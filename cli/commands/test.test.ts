import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { limits } from '../../contract/policy/limits.ts';
import type { TestResult } from '../evaluate/result.ts';
import { runCaptured } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';
import '../testing/snapshots.ts';

/** Runs `guardcli test` and returns its result. */
async function result(argv: readonly string[], cwd = '/'): Promise<TestResult> {
  const { stdout, stderr } = await runCaptured(['test', '--json', ...argv], { cwd });
  assert.equal(stderr, '');
  return JSON.parse(stdout) as TestResult;
}

const guard = (policy: object): Readonly<Record<string, string>> => ({ 'guard.json': JSON.stringify(policy) });
const targetsOf = ({ targets }: TestResult) => targets.map(({ target }) => target);

/** Removes patterns, because changes of the built-in patterns must not change these snapshots. */
const withoutPatterns = (text: string): string => text.replace(/^( *"?pattern"?:? +).+$/m, '$1...');

const shown: readonly (readonly [string, string[], object?])[] = [
  ['a path that leaves its folder', ['/static/..%252f.env']],
  ['a path that is always allowed', ['/robots.txt']],
  ['a trace', ['/.well-known/../.env', '--trace']],
  ['a query', ['/download', '-q', 'file=../../etc/passwd']],
  ['a limit', ['/%25252525252525252e', '--trace']],
  ['a header', ['/', '-H', 'X-Original-URL: /.env'], { checkHeaders: ['X-Original-URL'] }],
  ['a policy in detect mode', ['/.env'], { mode: 'detect', response: { mode: 'json', statusCode: 404 } }],
  ['a response mode without a status', ['/.env'], { response: { mode: 'silent_drop' } }],
  ['the target that a proxy passes on', ['/a\\.env', '--proxy', 'caddy']],
  ['the target that a proxy refuses', ['/a b', '--proxy', 'proxyb']],
  ['an unexpected verdict', ['/.env', '--expect', 'allowed']],
  ['an expected verdict', ['/.env', '--expect', 'blocked']],
  ['hostile bytes', ['/\x1b[31m\x07\u202e', '-X', 'PUT', '-q', '\x9b=\r\n'], { methods: ['*'], checkQuery: true }],
];

describe('guardcli test shows', () => {
  for (const [name, argv, policy] of shown) {
    it(name, async (t: TestContext) => {
      const cwd = scratch(policy && guard(policy));
      t.assert.snapshot(withoutPatterns((await runCaptured(['test', ...argv], { cwd })).stdout));
    });
  }
  it('the pattern that matched', async () => {
    const cwd = scratch(guard({ blockPatterns: ['^/x\\d$'] }));
    const { stdout } = await runCaptured(['test', '/x1'], { cwd });
    assert.match(stdout, /\n {2}rule +block\[0\]\n {2}pattern +\^\/x\\d\$\n$/);
  });
  it('the start of a long pattern', async () => {
    const { stdout } = await runCaptured(['test', '/static/..%252f.env']);
    assert.match(stdout, /^ {2}pattern +\S.{199}\.\.\.$/m);
  });

  it('the product whose file a rule names, in folders and in copies too', async () => {
    const { rule, product } = await result(['/mail/Dovecot-users_20240101']);
    assert.deepEqual([rule, product?.name, product?.product], ['file-secret-3', 'dovecot-users', 'Dovecot']);
    const { stdout } = await runCaptured(['test', '/dovecot-users']);
    assert.match(stdout, /\n {2}product +Dovecot: accounts with password hashes \(Dovecot documentation: .+\)\n/);
    assert.equal((await result(['/.env'])).product, undefined);
  });
  it('colors on a terminal', async (t: TestContext) => {
    const { stdout } = await runCaptured(['test', '/.env', '--trace', '--proxy', 'caddy'], { isTTY: true });
    t.assert.snapshot(withoutPatterns(stdout.replaceAll('\x1b', '<ESC>')));
  });
  it('a JSON document', async (t: TestContext) => {
    const argv = ['/.env?a=b', '--ip', '192.0.2.7', '-H', 'Host: a.example', '--proxy', 'caddy', '--expect', 'blocked'];
    t.assert.snapshot(withoutPatterns((await runCaptured(['test', '--json', '--trace', ...argv])).stdout));
  });
});

/** Requests that are allowed without inspection of a part, and the result line. */
const uninspected: readonly (readonly [string, string[], object, string])[] = [
  [
    'a method that is not inspected',
    ['-X', 'POST'],
    { methods: ['GET', 'HEAD'] },
    'method_not_inspected, nothing was inspected: methods has GET, HEAD, and not POST',
  ],
  ['a disabled guard', [], { enabled: false }, 'disabled, nothing was inspected: enabled is false'],
  [
    'an allowed address',
    ['--ip', '192.0.2.7'],
    { allowedIps: ['192.0.2.0/24'] },
    'allowed_ip, nothing was inspected: allowedIps contains the client',
  ],
  [
    'a header that rewrites the target',
    ['-H', 'X_Original-URL: /.env'],
    { checkHeaders: ['X-Rewrite-URL'] },
    'no_match, X_Original-URL was not inspected: checkHeaders does not have it',
  ],
  [
    'a header on a path that is always allowed',
    ['/robots.txt', '-H', 'Cookie: lang=../../../etc/passwd'],
    {},
    'allow_pattern_match, Cookie was not inspected: checkHeaders does not have it',
  ],
  ['an inspected header', ['-H', 'X-Rewrite-URL: /a'], { checkHeaders: ['x_rewrite_url'] }, 'no_match'],
  ['another header', ['-H', 'Accept: /.env'], {}, 'no_match'],
];

describe('the result line of guardcli test explains', () => {
  for (const [name, argv, policy, expected] of uninspected)
    it(name, async () => {
      const { stdout } = await runCaptured(['test', ...argv], { cwd: scratch(guard(policy)) });
      assert.equal(/^ALLOWED {2}(.+)$/m.exec(stdout)?.[1], expected);
    });
});

const long = (bytes: number): string => 'a'.repeat(bytes);
/** Requests that exceed a limit, and the output that names the limit. */
const limited: readonly (readonly [string, string[], RegExp])[] = [
  ['a path', [`/${long(limits.pathBytes)}`], /limit_length, more than 4096 bytes\n/],
  ['a query', ['-q', long(limits.queryBytes + 1)], /limit_length, more than 16384 bytes\n/],
  ['a header', ['-H', `X-A: ${long(limits.headerBytes + 1)}`], /limit_length, more than 8192 bytes\n/],
  ['pairs of a query', ['-q', 'a&'.repeat(limits.queryPairs + 1)], /limit_query_pairs, more than 256 pairs\n/],
  ['a value of a body', ['-b', `a=${long(limits.bodyValueBytes + 1)}`], /not all: a value of more than 65536 bytes, /],
];

describe('the number of a limit in guardcli test', () => {
  const policy = { methods: ['*'], checkQuery: true, checkBody: true, maxBodyBytes: 1_000_000, checkHeaders: ['X-A'] };
  for (const [name, argv, expected] of limited)
    it(`is there for ${name}`, async () =>
      assert.match((await runCaptured(['test', ...argv], { cwd: scratch(guard(policy)) })).stdout, expected));
});

describe('the note of guardcli test about an upgrade', () => {
  const notesOf = async (policy: object, value: string) =>
    JSON.parse(
      (await runCaptured(['test', '-H', `Upgrade: ${value}`, '--json'], { cwd: scratch(guard(policy)) })).stdout,
    ).notes;
  it('says that it would be removed', async () =>
    assert.deepEqual(await notesOf({}, 'h2c'), [
      'the upgrade to h2c would be removed: allowUpgrades does not have it',
    ]));
  it('says that mode detect would report it', async () =>
    assert.match((await notesOf({ mode: 'detect' }, 'h2c'))[0], /^the upgrade to h2c would be reported: /));
  it('is absent for a WebSocket', async () => assert.deepEqual(await notesOf({}, 'websocket'), []));
});

/** A policy, further options, and the result line of a CONNECT. */
const tunnels: readonly (readonly [string, object, string[], string])[] = [
  ['by default', {}, [], 'REFUSED 501  refused_tunnel'],
  ['of an inspected method', { methods: ['*'] }, [], 'REFUSED 501  refused_tunnel'],
  ['that is allowed', { methods: ['*'], allowUpgrades: ['connect'] }, [], 'ALLOWED  no_match'],
  ['that a rule blocks', { methods: ['*'], blockPatterns: ['^/443$'] }, [], 'BLOCKED 403  block_pattern_match'],
  ['in mode detect', { methods: ['*'], mode: 'detect' }, [], 'ALLOWED  no_match'],
  ['of an allowed client', { methods: ['*'], allowedIps: ['192.0.2.7'] }, ['--ip', '192.0.2.7'], 'ALLOWED  allowed_ip'],
  ['in Caddy', {}, ['--proxy', 'caddy'], 'REFUSED 501  refused_tunnel'],
  ['in Traefik, which relays none over HTTP/1', {}, ['--proxy', 'traefik'], 'REFUSED 501  refused_by_proxy'],
  ['in nginx', {}, ['--proxy', 'nginx'], 'REFUSED 400  refused_by_proxy'],
];

describe('guardcli test says what becomes of a CONNECT', () => {
  const tested = async (policy: object, ...argv: string[]) =>
    (await runCaptured(['test', 'host:443', '-X', 'CONNECT', ...argv], { cwd: scratch(guard(policy)) })).stdout;
  for (const [name, policy, argv, expected] of tunnels)
    it(name, async () => assert.match(await tested(policy, ...argv), new RegExp(`^${expected}`, 'm')));
  it('with --json', async () => {
    const { verdict, reason, status, expected, notes } = JSON.parse(await tested({}, '--json', '--expect', 'blocked'));
    assert.deepEqual([verdict, reason, status, expected.met], ['refused', 'refused_tunnel', 501, true]);
    assert.match(notes.join('\n'), /the guards refuse tunnels: allowUpgrades does not have CONNECT/);
  });
  it('in a note of mode detect', async () =>
    assert.match(await tested({ mode: 'detect' }, '--json'), /the tunnel would be reported: /));
  it('in a list', async () => {
    const argv = ['test', '-X', 'CONNECT', '--json', '--paths', 'list'];
    const { stdout } = await runCaptured(argv, { cwd: scratch({ ...guard({}), list: '/a\n' }) });
    assert.match(stdout, /"verdict":"refused","reason":"refused_tunnel"/);
  });
});

describe('the policy of guardcli test', () => {
  it('defaults to the built-in one with the query inspected', async () => {
    const { policy, targets } = await result(['/', '-q', 'a=b', '-b', 'c=d']);
    assert.equal(policy, null);
    assert.deepEqual(new Set(targets.map(({ target }) => target)), new Set(['path', 'query']));
  });
  it('is guard.json if there is one, including its query and body settings', async () => {
    const cwd = scratch(guard({ checkBody: true }));
    const found = await result(['/', '-q', 'a=b', '-b', 'c=d'], cwd);
    assert.equal(found.policy, 'guard.json');
    assert.deepEqual(new Set(targetsOf(found)), new Set(['path', 'body']));
  });
  it('is overridden by the flags', async () => {
    const cwd = scratch(guard({ checkBody: true }));
    const found = await result(['--check-query', '/', '--check-body=false', '-q', 'a=b', '-b', 'c=d'], cwd);
    assert.deepEqual(new Set(targetsOf(found)), new Set(['path', 'query']));
  });
  it('is the file that -c names', async () => {
    const cwd = scratch({ ...guard({}), 'other.json': '{"blockPatterns":["^/x$"]}' });
    const { policy, rule } = await result(['/x', '-c', 'other.json'], cwd);
    assert.deepEqual({ policy, rule }, { policy: 'other.json', rule: 'block[0]' });
  });
  it('may be YAML', async () => {
    const cwd = scratch({
      'policy.yaml': '# all\nblockPatterns:\n  - ^/x$\n',
      'bad.yaml': 'mode: detect\nmetods: [GET]\n',
    });
    assert.equal((await result(['/x', '-c', 'policy.yaml'], cwd)).rule, 'block[0]');
    const { status, stderr } = await runCaptured(['test', '-c', 'bad.yaml'], { cwd });
    assert.equal(status, 1);
    assert.match(stderr, /bad\.yaml:2:1: metods: unknown key "metods"\n {2}did you mean "methods"\?/);
  });
  it('is standard input for -c -', async () => {
    const { stdout } = await runCaptured(['test', '/x', '-c', '-', '--json'], { stdin: '{"enabled":false}' });
    const { policy, reason } = JSON.parse(stdout) as TestResult;
    assert.deepEqual({ policy, reason }, { policy: '<stdin>', reason: 'disabled' });
  });
  it('allows the clients in allowedIps', async () => {
    const cwd = scratch(guard({ allowedIps: ['192.0.2.0/24'] }));
    assert.equal((await result(['/.env', '--ip', '192.0.2.7'], cwd)).reason, 'allowed_ip');
    assert.equal((await result(['/.env', '--ip', '192.0.3.7'], cwd)).verdict, 'blocked');
  });
  it('applies exceptions for a host', async () => {
    const exceptions = [{ rules: ['block[0]'], path: '^/x', hosts: ['a.example'] }];
    const cwd = scratch(guard({ blockPatterns: ['^/x'], exceptions }));
    assert.equal((await result(['/x', '-H', 'Host: a.example'], cwd)).verdict, 'allowed');
    assert.equal((await result(['/x', '-H', 'Host: b.example'], cwd)).verdict, 'blocked');
  });
});

describe('the body in the JSON of guardcli test', () => {
  const bodyOf = async (policy: object, ...argv: string[]) =>
    (await result(['/', '-X', 'POST', ...argv], scratch(guard({ methods: ['*'], ...policy })))).body;
  it('says how much was inspected', async () => {
    const policy = { checkBody: true, maxBodyBytes: 16 };
    assert.deepEqual(await bodyOf(policy, '-b', 'a=bc'), { values: 2, bytes: 3 });
    assert.deepEqual(await bodyOf(policy, '-b', 'a=bcdefghijklmnopqrstuv'), {
      values: 2,
      bytes: 15,
      overflow: 'length',
    });
  });
  it('is missing where none was inspected', async () => {
    assert.equal(await bodyOf({ checkBody: true }), undefined);
    assert.equal(await bodyOf({ checkBody: false }, '-b', 'a=bc'), undefined);
  });
});

describe('exceptions in guardcli test', () => {
  const rules = ['sql-file'];
  const exceptions = [
    { rules, path: '^/downloads/[^/]*\\.sql$' },
    { rules, path: '^/other/' },
    { rules, path: '^/', hosts: ['a.example'] },
  ];
  const traced = async (...argv: string[]) => {
    const cwd = scratch(guard({ exceptions }));
    return { text: (await runCaptured(['test', ...argv], { cwd })).stdout, json: await result(argv, cwd) };
  };
  it('names the exception that allowed a request', async () => {
    const { text, json } = await traced('/downloads/a.sql');
    assert.match(text, /\nALLOWED {2}no_match\n {2}exceptions\[0\] {2}excused sql-file\n$/);
    assert.deepEqual(json.exceptions, [{ name: 'exceptions[0]', excused: rules }]);
  });
  it('explains with --trace why an exception does not apply', async () => {
    const { text, json } = await traced('/downloads/a.sql', '--trace');
    assert.match(text, /\n {2}\/downloads\/a\.sql {2}<- sql-file excepted\n/);
    assert.match(text, /\n {2}exceptions\[1\] {2}path does not match\n {2}exceptions\[2\] {2}host does not match\n$/);
    assert.deepEqual(json.exceptions?.[1], { name: 'exceptions[1]', missed: 'path', excused: [] });
  });
  it('notes the host that an exception needs', async () => {
    const hosts = ['*.a.example'];
    const cwd = scratch(guard({ exceptions: [{ rules, path: '^/', hosts }] }));
    const noteOf = async (...argv: string[]) => (await runCaptured(['test', ...argv], { cwd })).stderr;
    const note = "note: an exception allows the request for www.a.example: pass -H 'Host: www.a.example'\n";
    assert.equal(await noteOf('/a.sql'), note);
    assert.equal(await noteOf('/a.sql', '-H', 'Host: b.example'), '');
    assert.equal(await noteOf('/.env'), '');
  });
  it('reports that no exception applies to a target past a limit', async () => {
    const { text } = await traced(`/${'a'.repeat(5000)}`, '--trace', '-H', 'Host: a.example');
    assert.match(text, /exceptions\[2\] {2}the path reached a limit\n/);
  });
  it('omits exceptions without effect unless --trace is given', async () => {
    const { text, json } = await traced('/plain');
    assert.doesNotMatch(text, /exceptions/);
    assert.equal(json.exceptions, undefined);
  });
});

const statuses: readonly (readonly [string, string[], number])[] = [
  ['a blocked request without --expect', ['/.env'], 0],
  ['blocked, as expected', ['/.env', '--expect', 'blocked'], 0],
  ['blocked, not as expected', ['/.env', '--expect', 'allowed'], 1],
  ['allowed, as expected', ['/x', '--expect', 'allowed'], 0],
  ['allowed, not as expected', ['/x', '--expect', 'blocked'], 1],
  ['refused by the proxy counts as blocked', ['/a b', '--proxy', 'caddy', '--expect', 'blocked'], 0],
  ['refused by the proxy is not allowed', ['/a b', '--proxy', 'caddy', '--expect', 'allowed'], 1],
  ['an invalid verdict for --expect', ['/x', '--expect', 'maybe'], 2],
  ['an unknown proxy', ['/x', '--proxy', 'squid'], 2],
  ['a flag that is not true or false', ['/x', '--check-query=maybe'], 2],
  ['a path given twice', ['/x', '--path', '/y'], 2],
  ['a missing policy file', ['/x', '-c', 'absent.json'], 2],
  ['an invalid policy', ['/x', '-c', '-'], 1],
];

describe('the status of guardcli test', () => {
  for (const [name, argv, expected] of statuses) {
    it(`${expected}: ${name}`, async () => assert.equal((await runCaptured(['test', ...argv])).status, expected));
  }
  it('lists the known proxies', async () => {
    assert.match(
      (await runCaptured(['test', '--proxy', 'squid'])).stderr,
      /Choose one of traefik \(proxya\), caddy \(proxyb\), nginx \(proxyc\)\.\n/,
    );
  });
});
