import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { limits } from '../../contract/policy/limits.ts';
import { runCaptured, type Setting } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';
import '../testing/snapshots.ts';
import type { PathResult } from './result.ts';

const list = '/.env\n/x\r\n\n/a?f=../../etc/passwd\n/robots.txt\n/\x1b[31m\xe9\n';
const run = (argv: readonly string[], setting: Setting = {}) =>
  runCaptured(['test', '--paths', '-', ...argv], { stdin: Buffer.from(list, 'latin1'), ...setting });

async function results(argv: readonly string[], setting?: Setting): Promise<PathResult[]> {
  const { stdout } = await run(['--json', ...argv], setting);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as PathResult);
}

const verdicts = async (...args: Parameters<typeof results>) => (await results(...args)).map(({ verdict }) => verdict);

describe('guardcli test --paths shows', () => {
  const shown: readonly (readonly [string, string[]])[] = [
    ['counts', []],
    ['targets that a proxy refuses', ['--proxy', 'caddy']],
    ['targets with another verdict than expected', ['--expect', 'allowed']],
  ];
  for (const [name, argv] of shown) {
    it(name, async (t: TestContext) => t.assert.snapshot((await run(argv)).stdout));
  }
  it('why nothing was inspected, once for all targets', async () => {
    const cwd = scratch({ 'guard.json': '{"methods":["POST"]}' });
    const { stderr } = await run([], { cwd });
    assert.equal(stderr, 'warning: 5 targets: nothing was inspected: methods has POST, and not GET\n');
    const [first] = await results([], { cwd });
    assert.match(first?.uninspected ?? '', /^nothing was inspected/);
    assert.equal((await results([]))[0]?.uninspected, undefined);
  });
  it('that all verdicts are as expected', async () => {
    assert.match((await run(['--expect', 'allowed'], { stdin: '/x\n/y' })).stdout, /\nas expected\n$/);
  });
  it('a bounded number of unexpected verdicts, each of bounded length', async () => {
    const { stdout } = await run(['--expect', 'allowed'], { stdin: `/.env/${'x'.repeat(3000)}\n`.repeat(1000) });
    assert.match(stdout, /1,000 targets differ\n/);
    assert.match(stdout, /\n {2}and 980 more\n$/);
    assert.ok(stdout.length < 10_000);
  });
  it('the most frequent targets of each rule, each of bounded length', async () => {
    const stdin = `/.env\n/a/.env\n/a/.env\n/.env/${'x'.repeat(3000)}\n/.env/b\n/.env/c\n`.concat('/.git/config\n');
    const { stdout } = await run([], { stdin });
    assert.match(stdout, /\n {2}env-file +6 {2}\/a\/\.env \(2\), \/\.env \(1\), \/\.env\/b \(1\)\n/);
    assert.match(stdout, /\n {2}hidden-seg +1 {2}\/\.git\/config \(1\)\n/);
  });
  it('how many lines are not request targets, with a warning on standard error', async () => {
    const log = `192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET /.env\x1b HTTP/1.1" 404 0\n`;
    const { stdout, stderr, status } = await run([], { stdin: `${log}/x\n${log}` });
    assert.equal(status, 0);
    assert.match(stdout, /\n {2}not targets +2, they do not begin with \/\n/);
    assert.match(
      stderr,
      /^warning: 2 of 3 lines do not begin with \/, such as line 1: 192[^\x1b]*\n {2}pass [^\n]* awk /,
    );
    assert.equal((await run([])).stderr, '');
  });
  it('only printable characters', async () =>
    assert.doesNotMatch((await run(['--expect', 'blocked'])).stdout, /[^\x20-\x7e\n]/));
});

describe('guardcli test --paths --json', () => {
  it('prints one line per target and nothing else', async () => {
    const { stdout, stderr } = await run(['--json', '--expect', 'allowed']);
    assert.equal(stderr, '');
    assert.match(stdout, /^(?:\{[\x20-\x7e]+\}\n){5}$/);
  });
  it('prints bytes as latin1 characters, and line numbers', async () => {
    const found = await results([]);
    assert.equal(found[4]?.request.target, '/\x1b[31m\xe9');
    assert.deepEqual(
      found.map(({ line }) => line),
      [1, 2, 4, 5, 6],
    );
  });
  it('marks lines that are not request targets', async () => {
    const found = await results([], { stdin: 'GET /.env HTTP/1.1\n/x\n' });
    assert.deepEqual(
      found.map(({ isNotTarget }) => isNotTarget),
      [true, undefined],
    );
  });
  it('returns the same result as for a single target', async () => {
    for (const flags of [[], ['--proxy', 'caddy'], ['--expect', 'blocked']]) {
      for (const { line: _, ...found } of (await results(flags)).slice(0, 4)) {
        const { stdout } = await runCaptured(['test', found.request.target, '--json', ...flags]);
        const single = JSON.parse(stdout) as Record<string, unknown>;
        for (const [key, value] of Object.entries(found)) assert.deepEqual(value, single[key], key);
      }
    }
  });
  it('prints the results before a read error', async () => {
    async function* broken() {
      yield Buffer.from('/.env\n/x');
      throw Object.assign(new Error('gone'), { code: 'EIO' });
    }
    const { stdout, status } = await run(['--json'], { stdin: broken() });
    assert.match(stdout, /^\{[^\n]*\}\n$/);
    assert.equal(status, 2);
  });
});

describe('the targets of a list', () => {
  it('have their queries inspected like a single target', async () => {
    const none = ['allowed', 'allowed'];
    assert.deepEqual((await verdicts(['--check-query=false'])).slice(1, 3), none);
    assert.deepEqual((await verdicts([])).slice(1, 3), ['allowed', 'blocked']);
  });
  it('are evaluated with the policy, client, host and method of the options', async () => {
    const policy = { blockPatterns: ['^/x$'], allowedIps: ['192.0.2.7'], methods: ['GET'] };
    const cwd = scratch({ 'own.json': JSON.stringify(policy) });
    const rulesFor = async (...argv: string[]) => (await results(['-c', 'own.json', ...argv], { cwd }))[1]?.rule;
    assert.equal(await rulesFor(), 'block[0]');
    assert.equal(await rulesFor('--ip', '192.0.2.7'), undefined);
    assert.equal(await rulesFor('-X', 'POST'), undefined);
  });
  it('may be read from a file', async () => {
    const cwd = scratch({ 'list.txt': '/.env' });
    const { stdout } = await runCaptured(['test', '--paths', 'list.txt'], { cwd });
    assert.match(stdout, /^list\.txt: 1 target\n/);
  });
  it('are blocked when they are longer than any server accepts', async () => {
    const long = `/${'a'.repeat(limits.targetBytes)}`;
    const [path, query, short] = await results([], { stdin: `${long}\n/x?${long}\n/x` });
    assert.deepEqual(
      [path?.reason, path?.isCut, path?.request.target.length],
      ['limit_length', true, limits.targetBytes],
    );
    assert.equal(query?.reason, 'limit_length');
    assert.deepEqual([short?.verdict, short?.isCut], ['allowed', undefined]);
  });
});

const statuses: readonly (readonly [string, string[], number])[] = [
  ['a blocked target without --expect', [], 0],
  ['one unexpected verdict', ['--expect', 'blocked'], 1],
  ['one unexpected verdict, in JSON', ['--expect', 'allowed', '--json'], 1],
  ['--paths together with a path', ['/x'], 2],
  ['--paths together with a query', ['-q', 'a=b'], 2],
  ['--paths together with --trace', ['--trace'], 2],
  ['both list and policy from standard input', ['-c', '-'], 2],
];

describe('the status of guardcli test --paths', () => {
  for (const [name, argv, expected] of statuses) {
    it(`${expected}: ${name}`, async () => assert.equal((await run(argv)).status, expected));
  }
  it('is 2 for a list that cannot be read', async () => {
    const cwd = scratch();
    for (const name of ['absent.txt', '.']) {
      const { status, stderr } = await runCaptured(['test', '--paths', name], { cwd });
      assert.equal(status, 2);
      assert.match(stderr, /^error: cannot read /);
    }
  });
  it('is 0 when all verdicts are as expected', async () => {
    assert.equal((await run(['--expect', 'allowed', '--json'], { stdin: '/x\n\n/y\n' })).status, 0);
  });
});
