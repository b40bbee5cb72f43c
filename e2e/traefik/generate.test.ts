/** The plugin receives exactly the original policy from the output of `guardcli generate`. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { compilerFlags, findLocalGo } from '../../artefacts/go.ts';
import { pluginFields } from '../../cli/generate/traefik.ts';
import { generateTraefikLabels } from '../../cli/generate/traefik-labels.ts';
import { generateTraefikToml } from '../../cli/generate/traefik-toml.ts';
import { generateTraefikYaml } from '../../cli/generate/traefik-yaml.ts';
import type { Generate } from '../../cli/targets/table.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { hostileTexts, load, policies } from '../support/carried-policies.ts';

const folder = scratchFolder('guard-traefik-');

/** Path of the command that loads configurations with the pinned Traefik modules. */
const loader = join(folder, 'loader');
const skip = (await findLocalGo()) ? false : 'there is no Go to compile the loader of Traefik with';
before(async () => {
  if (skip) return;
  const args = ['build', ...compilerFlags, '-buildvcs=false', '-mod=readonly', `-o=${loader}`];
  await command('go', [...args, join(packageRoot, 'e2e/traefik/loader/main.go')], {
    cwd: join(packageRoot, 'sandbox-images/traefik'),
    env: { CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' },
  });
});

/** Reads labels as compose does: `$$` is a dollar, and the first `=` ends the key. */
function labelsOf(text: string): Record<string, string> {
  const { labels } = parse(text) as { labels: string[] };
  assert.ok(
    labels.every((label) => !/(?<!\$)(?:\$\$)*\$(?!\$)/.test(label)),
    'compose would replace a variable',
  );
  const pairs = labels.map((label) => label.replaceAll('$$', '$')).map((label) => /^([^=]*)=(.*)$/s.exec(label) ?? []);
  return Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, value]));
}

interface Form {
  readonly name: string;
  readonly generate: Generate;
  readonly extension: string;
  readonly text: (generated: string) => string;
}

const asIs = (text: string): string => text;
const forms: readonly Form[] = [
  { name: 'YAML', generate: generateTraefikYaml, extension: 'yml', text: asIs },
  { name: 'TOML', generate: generateTraefikToml, extension: 'toml', text: asIs },
  {
    name: 'labels',
    generate: generateTraefikLabels,
    extension: 'labels.json',
    text: (text) => JSON.stringify(labelsOf(text)),
  },
];

interface Read {
  readonly plugins?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly error?: string;
}

/** Returns the configuration that the plugin receives for each text. */
function readTexts({ extension, text }: Form, generated: readonly string[]): unknown[] {
  const names = generated.map((one, index) => {
    const file = join(folder, `${index}.${extension}`);
    writeFileSync(file, text(one));
    return file;
  });
  const output = execFileSync(loader, names, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return (JSON.parse(output) as Read[]).map(({ plugins, error }) => {
    assert.equal(error, undefined);
    assert.deepEqual(Object.keys(plugins ?? {}), ['guard']);
    assert.deepEqual(Object.keys(plugins?.guard ?? {}), ['guard']);
    return plugins?.guard?.guard;
  });
}

/** Converts numbers and flags to texts, as Traefik does. The plugin converts them back. */
function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, asTexts(entry)]));
}

function roundTrip(form: Form, all: readonly Policy[], names: readonly string[]): void {
  const generated = all.map((policy) => form.generate(policy));
  for (const [index, found] of readTexts(form, generated).entries())
    assert.deepEqual(asTexts(found), asTexts(pluginFields(all[index] as Policy)), names[index] ?? '');
}

const separators: readonly string[] = [
  'a\u2551b',
  'a{1,3},b',
  '{{ .x }}',
  '{{{',
  '{{"{{"}}',
  "]]'''",
  'a\n]]\n',
  '1_000',
  '2001-01-01',
];
const texts = [...hostileTexts, ...separators];

for (const form of forms) {
  describe(`${form.name} of Traefik yields its policy`, { skip }, () => {
    it('for policies of every kind', () => {
      const all = {
        ...policies,
        'the example': JSON.parse(readFileSync(join(packageRoot, 'examples/guard.json'), 'utf8')),
      };
      const loaded = Object.values(all).map(load);
      assert.ok(loaded.length >= 40);
      roundTrip(form, loaded, Object.keys(all));
    });
    it('for hostile texts', () => {
      const loaded = texts.map((body) => load({ response: { body, headers: { 'X-A': 'b' } } }));
      roundTrip(form, loaded, texts);
    });
    it('for lists of hostile texts', () => {
      const rules = texts.map((description, index) => ({
        id: `r-${index}`,
        action: 'block',
        pattern: 'x',
        description: description.slice(0, 99),
      }));
      roundTrip(form, [load({ rules })], ['rules']);
    });
    it('in the order of the policy, however long a list is', () => {
      const numbers = Array.from({ length: 120 }, (_, index) => `^/${index}$`);
      roundTrip(form, [load({ blockPatterns: numbers })], ['patterns']);
    });
  });
}

it('the labels of the page mean what it says', { skip }, () => {
  const page = readFileSync(join(packageRoot, 'docs/traefik.md'), 'utf8');
  const block = page.split('```').find((text) => text.includes('.plugin.guard.checkQuery=true')) ?? '';
  const { labels } = (parse(block.slice('yaml'.length)) as { services: { site: object } }).services.site as {
    labels: string[];
  };
  const own = labels.filter((label) => label.includes('.middlewares.guard.'));
  const [found] = readTexts(forms[2] as Form, [stringify({ labels: own })]);
  assert.deepEqual(found, {
    checkQuery: 'true',
    blockPatterns: ['^/v[0-9]{1,3}/internal/'],
    rules: [{ id: 'no-map', action: 'block', pattern: '\\.map$' }],
  });
});
