import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { runCaptured } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';
import '../testing/snapshots.ts';
import type { ValidateResult } from './validate.ts';

const policy = {
  mode: 'detect',
  disabledRules: ['env-file'],
  blockPatterns: ['^/a', '^/b'],
  allowPatterns: ['^/c'],
  rules: [
    { id: 'own-block', action: 'block', pattern: 'x' },
    { id: 'own-allow', action: 'allow', pattern: 'y' },
  ],
  allowedIps: ['192.0.2.0/24', '2001:db8::1'],
  response: { mode: 'redirect', statusCode: 307 },
};
const daemon = `services:
  ssh:
    listen: ":2222"
    upstream: 10.0.0.5:22
    protocol: ssh
threatfeed:
  enabled: true
  api_key: "\${CROWDSEC_API_KEY}"
`;
const many =
  '{"metods":["GET"],\n "blockPatterns":["(a", ".*"],\n "allowedIps":["10.0.0.300"],\n "response":{"mode":"tarpot"}}';

const validate = (stdin: string | Uint8Array, ...argv: string[]) =>
  runCaptured(['validate', '-', ...argv], { stdin: stdin as string });

/** Removes counts, because the number of built-in rules must not change these snapshots. */
const withoutCounts = (text: string): string =>
  text
    .replace(/\d+ built-in/g, 'N built-in')
    .replace(/allow rules +\d+/, 'allow rules N')
    .replace(/"builtIn": \d+/g, '"builtIn": N');

describe('guardcli validate shows', () => {
  const shown = {
    'a policy': JSON.stringify(policy),
    'the empty policy': '{}',
    'a daemon file': daemon,
    'every problem': many,
  };
  for (const [name, text] of Object.entries(shown)) {
    it(name, async (t: TestContext) => t.assert.snapshot(withoutCounts((await validate(text)).stdout)));
    it(`${name} as JSON`, async (t: TestContext) =>
      t.assert.snapshot(withoutCounts((await validate(text, '--json')).stdout)));
  }
  it('a warning with its place', async () => {
    const { stdout, status } = await validate('{\n  "blockPatterns": [".*"]}');
    assert.equal(status, 0);
    assert.match(stdout, /\nwarning: <stdin>:2:\d+: blockPatterns\[0\]: /);
  });
  it('that bodies of which a part is not inspected pass, and recommends to block them', async () => {
    const { stdout, status } = await validate('{"checkBody":true,"methods":["POST"]}');
    assert.equal(status, 0);
    assert.match(
      stdout,
      /\nwarning: <stdin>:1:1: bodyOverflow: a body of which a part cannot be inspected passes: .*\n/,
    );
    assert.match(stdout, /\n {2}write "block" and a maxBodyBytes that your uploads need, or "pass" to keep this\n/);
    for (const value of ['block', 'pass'])
      assert.doesNotMatch(
        (await validate(`{"checkBody":true,"methods":["POST"],"bodyOverflow":"${value}"}`)).stdout,
        /warning/,
      );
  });
  it('a disabled policy', async () => {
    assert.match((await validate('{"enabled":false}')).stdout, /\n {2}enabled +false: nothing is inspected\n/);
  });
});

describe('the figures of guardcli validate', () => {
  it('count active rules', async () => {
    const summary = async (file: object) => {
      const found = JSON.parse((await validate(JSON.stringify(file), '--json')).stdout) as ValidateResult;
      assert.ok(found.valid && found.format === 'policy');
      return found.summary;
    };
    const all = await summary({});
    const own = await summary(policy);
    assert.ok(all.blockRules.builtIn > 50);
    assert.deepEqual(own.blockRules, { builtIn: all.blockRules.builtIn - 1, custom: 3 });
    assert.deepEqual(own.allowRules, { builtIn: all.allowRules.builtIn, custom: 2 });
    assert.deepEqual(own.response, { mode: 'redirect', status: 307 });
    assert.equal(own.allowedNetworks, 2);
    const off = await summary({ enableDefaultPatterns: false, enableDefaultAllowPatterns: false });
    assert.deepEqual([off.blockRules.builtIn, off.allowRules.builtIn], [0, 0]);
  });
});

describe('the file of guardcli validate', () => {
  it('defaults to guard.json', async () => {
    const cwd = scratch({ 'guard.json': '{}', 'tcp-guard.yaml': daemon });
    const heads = [];
    for (const argv of [[], ['guard.json'], ['-c', 'tcp-guard.yaml']]) {
      heads.push((await runCaptured(['validate', ...argv], { cwd })).stdout.split('\n')[0]);
    }
    assert.deepEqual(heads, [
      'guard.json: schema passed',
      'guard.json: schema passed',
      'tcp-guard.yaml: schema passed',
    ]);
  });
  it('cannot be given twice', async () => assert.equal((await runCaptured(['validate', 'a', '-c', 'b'])).status, 2));
});

const bad: readonly (readonly [string, string | Uint8Array])[] = [
  ['not JSON', '{"methods": GET}'],
  ['cut off', '{"methods": ["GET"'],
  ['empty', ''],
  ['white space', ' \n'],
  ['a list', '[]'],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
  ['with a byte order mark', '\ufeff{}'],
  ['a repeated key', '{"debug":true,"debug":false}'],
  ['a wrong type', '{"debug":"yes"}'],
  ['an unknown key', '{"metods":[]}'],
  ['out of range', '{"maxBodyBytes":0}'],
  ['a bad address', '{"allowedIps":["10.1"]}'],
  ['a bad regex', '{"blockPatterns":["(?=x)"]}'],
  ['bad YAML', 'services:\n  - {'],
  ['hostile text', '{"\u001b[2J\u202e": "\u009b"}'],
  ['deep nesting', '['.repeat(100_000)],
];

describe('guardcli validate refuses, with a place and status 1, a file that is', () => {
  for (const [name, content] of bad) {
    it(name, async () => {
      const { status, stdout, stderr } = await validate(content);
      assert.deepEqual({ status, stderr }, { status: 1, stderr: '' });
      assert.match(stdout, /^<stdin>:\d+:\d+: .+/);
      assert.match(stdout, /\n<stdin>: not valid: \d+ problems?\n$/);
      assert.doesNotMatch(stdout, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    });
  }
});

describe('guardcli validate cannot read, with status 2, a file that is', () => {
  const names = { absent: 'absent.json', 'a folder': '.', 'below a file': 'guard.json/x' };
  for (const [name, file] of Object.entries(names)) {
    it(name, async () => {
      const { status, stdout, stderr } = await runCaptured(['validate', file], {
        cwd: scratch({ 'guard.json': '{}' }),
      });
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
      assert.match(stderr, /^error: cannot read .+\. [A-Z{].+\.\n$/);
    });
  }
});

describe('guardcli validate --nginx', () => {
  const nginx = (stdin: string, ...argv: string[]) => runCaptured(['validate', '--nginx', '-', ...argv], { stdin });
  const guarded = (text: string): string => `http {
  rewrite_by_lua_no_postpone on;
  lua_regex_match_limit 100000;
  large_client_header_buffers 4 32k;
  init_by_lua_block { require("guard").init({}) }
  rewrite_by_lua_block { require("guard").check() }
  server { server_name a.example; ${text} }
}`;

  it('summarizes a configuration in which the guard inspects every request', async (t: TestContext) => {
    const { status, stdout } = await nginx(guarded('location / { root /srv; }'));
    assert.equal(status, 0);
    t.assert.snapshot(stdout);
  });
  it('lists requests that bypass the guard, with hints', async (t: TestContext) => {
    const { status, stdout } = await nginx(guarded('return 301 /b; location /x { rewrite_by_lua_block { } }'));
    assert.equal(status, 1);
    t.assert.snapshot(stdout);
  });
  it('prints one document with --json', async () => {
    const { stdout } = await nginx(guarded('location /x { rewrite_by_lua_block { } }'), '--json');
    const { valid, format, problems } = JSON.parse(stdout);
    assert.deepEqual([valid, format, problems[0].kind], [false, 'nginx', 'hook_replaced']);
  });
  it('refuses a second file', async () => {
    const { status, stderr } = await nginx('', 'guard.json');
    assert.equal(status, 2);
    assert.match(stderr, /two files are given/);
  });
});
