/** The real Caddy loads exactly the original policy from the output of `guardcli generate caddy`. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { buildArtefact } from '../../artefacts/build.ts';
import { generateCaddy } from '../../cli/generate/caddy.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { packageRoot } from '../../platform/assets.ts';
import { camelCaseKeys, hostileTexts, load, policies } from '../support/carried-policies.ts';

let caddy = '';
before(async () => {
  caddy = await buildArtefact('caddy');
});

const longestDescription = 500;

/** Variables that hostile texts name: if Caddy expanded one, the result would contain this value. */
const env = { HOME: '/expanded', PATH: '/expanded', A: 'expanded' };

function adapt(caddyfile: string): unknown {
  const { status, stdout, stderr } = spawnSync(caddy, ['adapt', '--config', '-', '--adapter', 'caddyfile'], {
    input: caddyfile,
    encoding: 'utf8',
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

function guards(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const found = Object.values(value).flatMap(guards);
  return (value as { handler?: string }).handler === 'guard' ? [value as Record<string, unknown>, ...found] : found;
}

/** Writes header names in lower case, because their case has no meaning. */
const camelCased = (value: unknown): unknown => camelCaseKeys(value, (name) => name.toLowerCase());

const site = (block: string): string => `example.com {\n\troute {\n${block}\t\trespond ok\n\t}\n}\n`;
/** Imports the block as a snippet, whose tokens Caddy parses a second time. */
const imported = (block: string): string => `(guarded) {\n${block}}\n${site('\t\timport guarded\n')}`;

function roundTrip(policy: Policy): void {
  const { $schema, ...expected } = policy;
  for (const place of [site, imported]) {
    const [guard, ...others] = guards(adapt(place(generateCaddy(policy))));
    assert.equal(others.length, 0);
    const { handler, ...file } = guard ?? {};
    assert.deepEqual(camelCased(load(camelCased(file))), camelCased(expected), place.name);
  }
}

describe('a generated Caddyfile yields its policy', () => {
  for (const [name, file] of Object.entries(policies)) it(name, () => roundTrip(load(file)));
  it('the example', () => roundTrip(load(JSON.parse(readFileSync(join(packageRoot, 'examples/guard.json'), 'utf8')))));
});

describe('hostile text survives', () => {
  for (const text of hostileTexts) {
    it(JSON.stringify(text).slice(0, 60), () => roundTrip(load({ response: { body: text, headers: { 'X-A': 'b' } } })));
  }
  it('all of it in one list, as far as a description can hold it', () => {
    const short = hostileTexts.filter((text) => Buffer.byteLength(text) <= longestDescription);
    const rules = short.map((description, index) => {
      return { id: `rule-${index}`, action: 'block', pattern: 'x', description };
    });
    roundTrip(load({ rules }));
  });
});

describe('where the block goes', () => {
  const block = generateCaddy(load({ checkQuery: true }));
  const bare = `example.com {\n${block}\trespond ok\n}\n`;
  it('works anywhere in a site once the option that the comment names is set', () => {
    const [option] = /order guard first/.exec(block) ?? assert.fail('the comment names no option');
    assert.equal(guards(adapt(`{\n\t${option}\n}\n${bare}`)).length, 1);
  });
  it('is nowhere without it: Caddy says so', () => {
    const { status, stderr } = spawnSync(caddy, ['adapt', '--config', '-', '--adapter', 'caddyfile'], {
      input: bare,
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(stderr, /directive 'guard' is not an ordered HTTP handler/);
  });
});

it('the block is formatted as caddy fmt would', () => {
  const text = generateCaddy(load(policies['everything at once']));
  assert.equal(execFileSync(caddy, ['fmt', '-'], { input: text, encoding: 'utf8' }), text);
});
