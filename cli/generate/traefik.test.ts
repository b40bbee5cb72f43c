import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse as parseToml } from 'smol-toml';
import { parse } from 'yaml';
import { loadPolicy } from '../../contract/load/index.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { packageRoot } from '../../platform/assets.ts';
import { UsageError } from '../../platform/errors.ts';
import '../testing/snapshots.ts';
import { generateTraefikLabels, indexTexts } from './traefik-labels.ts';
import { generateTraefikToml } from './traefik-toml.ts';
import { generateTraefikYaml } from './traefik-yaml.ts';

const forms = { YAML: generateTraefikYaml, TOML: generateTraefikToml, labels: generateTraefikLabels };
const files = { YAML: generateTraefikYaml, TOML: generateTraefikToml };

function load(file: object): Policy {
  const loaded = loadPolicy(Buffer.from(JSON.stringify(file)), 'policy');
  assert.ok(loaded.ok, JSON.stringify(loaded.ok || loaded.problems));
  return loaded.value;
}

const example = load(JSON.parse(readFileSync(join(packageRoot, 'examples/guard.json'), 'utf8')) as object);

/** A policy with a text of each style of quoting, and a table at each level. */
const styles = load({
  secret: '${GUARD_SECRET}',
  trustedProxies: ['10.0.0.0/8'],
  blockPatterns: ["it's", '\\.env$', 'a{1,3},b', 'on'],
  rules: [{ id: 'docs', action: 'allow', pattern: '^/docs/' }],
  exceptions: [{ rules: ['block[0]'], path: '^/x', hosts: ['*.example'] }],
  response: { mode: 'html', body: '<p>{{no}}</p>\n<p>"$1"</p>\n', headers: { 'X-A': '', null: 'null' } },
});

for (const [name, generate] of Object.entries(forms)) {
  describe(`a policy as ${name} for Traefik`, () => {
    it('matches the snapshot of the example', (t: TestContext) => t.assert.snapshot(generate(example)));
    it('writes every style of text readably', (t: TestContext) => t.assert.snapshot(generate(styles)));
    it('is never empty: Traefik refuses a plugin without keys', () => {
      assert.match(generate(load({})), /enabled ?[:=] ?true/);
    });
    it('omits the tcp-guard section', () => {
      assert.doesNotMatch(generate(load({ tcp: { global: { workers: 2 } } })), /tcp|workers/);
    });
    it('lists the networks that the entry point must trust', () => {
      assert.match(generate(styles), /^# +trustedIPs:\n# +- 10\.0\.0\.0\/8$/m);
      assert.doesNotMatch(generate(example), /trustedIPs/);
    });
  });
}

const isRefusal = (key: string) => (error: unknown) => error instanceof UsageError && error.message.startsWith(key);

describe('refuses a key that the form cannot hold', () => {
  for (const [name, generate] of Object.entries(files)) {
    it(`a text that ${name} would pass on as a list`, () => {
      assert.throws(() => generate(load({ response: { body: '\u2551a' } })), isRefusal('response.body '));
      const rules = [{ id: 'a', action: 'block', pattern: 'x', description: '\u2551' }];
      assert.throws(() => generate(load({ rules })), isRefusal('rules.0.description '));
    });
  }
  it('a header name with a dot as a label', () => {
    const policy = load({ response: { headers: { 'X.Y': 'z' } } });
    assert.throws(() => generateTraefikLabels(policy), isRefusal('response.headers'));
    assert.match(generateTraefikYaml(policy), /X\.Y: z/);
  });
});

it('pads indices so that text order is numeric order', () => {
  for (const count of [1, 10, 11, 100, 101]) assert.deepEqual(indexTexts(count).toSorted(), indexTexts(count));
});

it('keeps a text that looks like a TOML list', () => {
  const body = '\u2028a = [ " ]\u2028\na = [ ", " ]\n{{';
  const text = generateTraefikToml(load({ blockPatterns: ['a", "b'], response: { body } }));
  const { http } = parseToml(text) as unknown as { http: { middlewares: { guard: { plugin: { guard: Policy } } } } };
  const { response, blockPatterns } = http.middlewares.guard.plugin.guard;
  assert.deepEqual([response.body, blockPatterns], [body, ['a", "b']]);
  assert.doesNotMatch(text, /\{\{/);
});

it('doubles a dollar for compose', () => {
  const { labels } = parse(generateTraefikLabels(styles)) as { labels: string[] };
  assert.ok(labels.some((label) => label.endsWith('.secret=$${GUARD_SECRET}')));
});
