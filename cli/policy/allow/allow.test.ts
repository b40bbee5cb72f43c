import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { loadPolicy } from '../../../contract/load/policy.ts';
import { builtInRules } from '../../../contract/policy/builtin-rules.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { asSent } from '../../../engine/hosts/received.ts';
import { compile } from '../../../engine/index.ts';
import { proxies } from '../../targets/table.ts';
import { runCaptured } from '../../testing/captured.ts';
import { scratch } from '../../testing/scratch.ts';
import { propose, withException } from './propose.ts';
import type { AllowResult } from './result.ts';
import '../../testing/snapshots.ts';

function policyOf(file: object): Policy {
  const loaded = loadPolicy(Buffer.from(JSON.stringify(file)), 'guard.json');
  assert.ok(loaded.ok);
  return loaded.value;
}

const request = (target: string, host?: string) => ({
  method: 'GET',
  target,
  headers: [],
  ...(host !== undefined && { host }),
});

const examples = builtInRules
  .filter(({ action, targets }) => action === 'block' && targets.includes('path'))
  .flatMap(({ matches }) => matches.filter((one) => one.startsWith('/') && !/[^!-~]/.test(one)));

describe('the exception for a request', () => {
  const policy = policyOf({ checkQuery: true });
  it('allows it in every proxy, and neither paths near it nor other hosts', async () => {
    const hosts = await Promise.all(proxies.map((proxy) => proxy.loadHost()));
    let proposed = 0;
    for (const target of examples) {
      const exception = await propose(policy, request(target, 'a.example'));
      if (!exception) continue;
      proposed += 1;
      const guard = compile(withException(policy, exception));
      const verdict = (one: string, host = 'a.example') => guard.evaluate(request(one, host)).verdict;
      const received = hosts
        .map(({ receives }) => receives(asSent({ target })))
        .flatMap((one) => (one.kind === 'passed' ? [one.target] : []));
      for (const one of [target, ...received]) assert.equal(verdict(one), 'allowed', `${target} as ${one}`);
      assert.equal(verdict(target, 'b.example'), 'blocked', target);
      assert.notEqual(verdict(`/x/.env${target}`), 'allowed', target);
    }
    assert.ok(proposed > 100, `${proposed}`);
  });
  it('names only rules that block it', async () => {
    const exception = await propose(policy, request('/a/.env'));
    assert.deepEqual(exception, { rules: ['env-file', 'hidden-seg'], path: '^/a/\\.env$' });
    const custom = policyOf({ blockPatterns: ['^/shop'], rules: [{ id: 'mine', action: 'block', pattern: 'cart' }] });
    assert.deepEqual((await propose(custom, request('/shop/cart')))?.rules, ['block[0]', 'mine']);
  });
  it('covers every form of the path, and treats its characters literally', async () => {
    assert.equal(
      (await propose(policy, request('//a+(b)%2f.env')))?.path,
      '^(?://a\\+\\(b\\)%2f\\.env|/a\\+\\(b\\)%2f\\.env|/|//a\\+\\(b\\)/\\.env|/a\\+\\(b\\)/\\.env|/\\.env|/a\\+\\(b\\)%2F\\.env)$',
    );
  });
});

const run = async (file: string, argv: readonly string[]) => {
  const folder = scratch({ 'guard.json': file });
  const captured = await runCaptured(['allow', ...argv], { cwd: folder });
  return { ...captured, file: readFileSync(join(folder, 'guard.json'), 'utf8') };
};

describe('guardcli allow', () => {
  it('shows the exception and what else it allows, and changes nothing', async (t: TestContext) => {
    const { stdout, stderr, file, status } = await run('{"checkQuery":true}', ['/download/.env']);
    assert.deepEqual([status, file], [0, '{"checkQuery":true}']);
    t.assert.snapshot(stdout + stderr);
  });
  it('writes the exception, after which the request is allowed', async () => {
    const target = 'https://user@shop.example.com:8443/a/.env?x=1#part';
    const { stdout, file, status } = await run('{}', [target, '--write']);
    assert.equal(status, 0);
    assert.match(stdout, /^GET shop\.example\.com\/a\/\.env\?x=1\nguard\.json has this entry/);
    const again = await run(file, [target]);
    assert.match(again.stdout, /guard\.json allows it already: no_match\n$/);
    assert.equal((await run(file, ['/a/.env', '--host', 'example.org', '--json'])).status, 0);
  });
  it('prints the result as JSON', async () => {
    const argv = ['/a/.env', '--host', 'a.example:8443', '--json'];
    const { stdout } = await run('{"checkBody":true,"methods":["POST"]}', argv);
    const { status, exception, effects, request } = JSON.parse(stdout) as AllowResult;
    assert.deepEqual([status, exception?.hosts, request.method], ['proposed', ['a.example'], 'POST']);
    assert.deepEqual(
      effects?.allowed.map(({ title }) => title),
      ['attacks in bodies to this path'],
    );
  });
  it('exits 1 for a request that exceeds a limit', async () => {
    const { stdout, status } = await run('{}', [`/${'x'.repeat(5000)}`]);
    assert.deepEqual(
      [status, /blocks it: limit_length, more than 4096 bytes\. No exception lifts a limit\.\n$/.test(stdout)],
      [1, true],
    );
  });
  for (const [argv, message] of [
    [['a/.env'], /is not a URL or a path\. Pass one such as/],
    [['https://a.example/.env', '--host', 'b.example'], /the host is given twice/],
    [['/.env', '--host', 'a b'], /"a b" is not a host: expected a host name/],
    [['/.env', '-c', '-', '--write'], /standard input cannot be written/],
    [[`/.env/${'x'.repeat(3000)}`], /too long for an exception\. Write one by hand/],
    [['/\x1b[31m\u202e', '-c', 'absent.json'], /cannot read absent\.json/],
  ] as const)
    it(`refuses ${JSON.stringify(argv).slice(0, 60)}`, async () => {
      const { stderr, status, file } = await run('{}', argv);
      assert.deepEqual([status, file], [2, '{}']);
      assert.match(stderr, message);
    });
  it('does not write a policy in YAML', async () => {
    const yaml = '# own\ncheckQuery: true\n';
    assert.match((await run(yaml, ['/a/.env'])).stdout, /"exceptions"|"rules"/);
    const { stderr, status, file } = await run(yaml, ['/a/.env', '--write']);
    assert.deepEqual([status, file], [2, yaml]);
    assert.match(stderr, /changes only policies in JSON, and guard\.json is YAML\. Add the exception/);
  });
  it('prints only printable characters', async () => {
    const { stdout } = await run('{"blockPatterns":["31m"]}', ['/\x1b[31m\u202e']);
    assert.doesNotMatch(stdout, /[^\x20-\x7e\n]/);
  });
});

describe('what else an exception allows', () => {
  it('lists each request once', async () => {
    const { stdout } = await run('{"checkQuery":true}', ['/search?q=../../etc']);
    const listed = stdout.match(/^ {4}\/search\?.*$/gm) ?? [];
    assert.deepEqual([listed.length, new Set(listed).size], [3, 3]);
  });
});
