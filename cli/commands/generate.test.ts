import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { formNames } from '../targets/find.ts';
import { targets } from '../targets/table.ts';
import { runCaptured } from '../testing/captured.ts';
import { everything } from '../testing/policies.ts';
import '../testing/snapshots.ts';
import type { GenerateResult } from './generate.ts';

const generate = (policy: object, ...argv: string[]) =>
  runCaptured(['generate', 'caddy', '-', ...argv], { stdin: JSON.stringify(policy) });

const schema = JSON.parse(readFileSync(join(packageRoot, 'contract/generated/policy.schema.json'), 'utf8'));

/** Returns the names of properties, including those of `response`. */
const keysOf = (of: { readonly response: object }): string[] => [
  ...Object.keys(of),
  ...Object.keys(of.response).map((key) => `response.${key}`),
];

describe('guardcli generate caddy', () => {
  it('is tested with every key', () => {
    const { $schema, tcp, ...rest } = schema.properties;
    const wanted = keysOf({ ...rest, response: rest.response.properties });
    assert.deepEqual(keysOf(everything).sort(), wanted.sort());
  });
  it('writes every key that differs from the defaults', async (t: TestContext) => {
    t.assert.snapshot((await generate(everything)).stdout);
  });
  it('refuses a tcp-guard configuration and says so', async () => {
    const file = join(packageRoot, 'examples/tcp-guard.yaml');
    const { status, stderr } = await runCaptured(['generate', 'caddy', file]);
    assert.deepEqual([status, /is a configuration of tcp-guard, not a policy\. /.test(stderr)], [2, true], stderr);
  });
  it('writes the example', async (t: TestContext) => {
    const { stdout } = await runCaptured(['generate', 'caddy', join(packageRoot, 'examples/guard.json')]);
    t.assert.snapshot(stdout);
  });
  it('writes the bare directive for the defaults', async () => {
    assert.match((await generate({ enabled: true, methods: ['GET'] })).stdout, /^(?:#.*\n)+guard\n$/);
  });
  it('explains where the block belongs', async () => {
    assert.match((await generate({})).stdout, /^# .*order.*\n# "order guard first".*\n/);
  });
  it('prints warnings on standard error', async () => {
    const { stdout, stderr } = await generate({ blockPatterns: ['.*'] });
    assert.match(stderr, /^warning: <stdin>:1:\d+: /);
    assert.doesNotMatch(stdout, /warning/);
  });
  it('prints one document with --json', async () => {
    const { stdout, stderr } = await generate({ debug: true }, '--json');
    const { target, file, text, warnings } = JSON.parse(stdout) as GenerateResult;
    assert.deepEqual({ target, file, stderr }, { target: 'caddy', file: '<stdin>', stderr: '' });
    assert.match(text, /^guard \{\n\tdebug true\n\}\n$/m);
    assert.equal(warnings.length, 1);
  });
  it('refuses an invalid policy', async () => {
    const { status, stdout, stderr } = await generate({ metods: [] });
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
    assert.match(stderr, /<stdin>:1:2: metods: /);
  });
});

describe('guardcli generate nginx', () => {
  const forNginx = (policy: object) => runCaptured(['generate', 'nginx', '-'], { stdin: JSON.stringify(policy) });
  it('writes every key that differs from the defaults', async (t: TestContext) => {
    t.assert.snapshot((await forNginx(everything)).stdout);
  });
  it('writes the example', async (t: TestContext) => {
    const { stdout } = await runCaptured(['generate', 'lua', join(packageRoot, 'examples/guard.json')]);
    t.assert.snapshot(stdout);
  });
  it('includes the directives that the mode needs', async () => {
    const { stdout } = await forNginx({ response: { mode: 'proxy', proxyUrl: 'https://honeypot.example' } });
    for (const line of [/^lua_shared_dict guard 1m;$/m, /^# resolver /m, /^lua_ssl_trusted_certificate /m])
      assert.match(stdout, line);
  });
  it('omits directives that the mode does not need', async () => {
    const { stdout } = await forNginx({ response: { mode: 'proxy', proxyUrl: 'http://192.0.2.1' } });
    assert.doesNotMatch(stdout, /resolver|lua_ssl|body_buffer/);
  });
});

const forms = targets.flatMap((target) => target.forms.map((form) => formNames(target, form)));

describe('the targets of guardcli generate', () => {
  it('have these names, where a proxy name means its first form', () => {
    assert.deepEqual(forms, [
      ['traefik-yaml', 'proxya-yaml', 'yaml', 'traefik', 'proxya'],
      ['traefik-toml', 'proxya-toml', 'toml'],
      ['traefik-labels', 'proxya-labels', 'labels', 'compose'],
      ['traefik-kubernetes', 'proxya-kubernetes', 'kubernetes', 'k8s'],
      ['caddy', 'proxyb', 'caddyfile', 'proxybfile'],
      ['caddy-kubernetes', 'proxyb-kubernetes'],
      ['nginx', 'proxyc', 'openresty', 'lua'],
      ['nginx-kubernetes', 'proxyc-kubernetes'],
      ['tcp-guard', 'tcp', 'l4'],
      ['tcp-guard-kubernetes', 'tcp-kubernetes'],
    ]);
  });
  it('are found by every name, in any letter case', async () => {
    const policy = readFileSync(join(packageRoot, 'examples/guard.json'));
    for (const names of forms) {
      const outputs = new Set<string>();
      for (const name of [...names, ...names.map((one) => one.toUpperCase())])
        outputs.add((await runCaptured(['generate', name, '-'], { stdin: policy })).stdout);
      assert.equal(outputs.size, 1);
    }
  });
  it('are listed for an unknown name, with the closest match', async () => {
    const far = await runCaptured(['generate', 'apache', '-']);
    assert.deepEqual([far.status, far.stdout], [2, '']);
    assert.match(
      far.stderr,
      /^error: unknown target "apache"\. Choose one of traefik-yaml \(proxya-yaml\), .*, tcp-guard, tcp-guard-kubernetes\.\n$/,
    );
    const near = await runCaptured(['generate', 'Cady', '-']);
    assert.match(near.stderr, /^error: unknown target "Cady"\. Did you mean "caddy"\? Choose one of /);
  });
});

describe('limits of a target', () => {
  const captcha = { mode: 'captcha', captcha: { provider: 'captcha-a', siteKey: 'k', secretKey: 's' } };
  const generated = (...argv: string[]) =>
    runCaptured(['generate', ...argv, '-'], { stdin: JSON.stringify({ response: captcha }) });
  it('go to standard error', async () => {
    const { status, stdout, stderr } = await generated('nginx');
    assert.equal(status, 0);
    assert.match(stderr, /^note: response: nginx needs a resolver directive/m);
    assert.doesNotMatch(stdout, /note:/);
  });
  it('are part of the JSON document', async () => {
    const { limits } = JSON.parse((await generated('nginx', '--json')).stdout) as GenerateResult;
    assert.match(limits.join('\n'), /^response: nginx needs a resolver directive/m);
  });
});
