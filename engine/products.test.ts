import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { spellings } from '../contract/generate/name-rules.ts';
import { readProducts } from '../contract/generate/product-table.ts';
import nameRules from '../contract/generated/name-rules.json' with { type: 'json' };
import { Policy } from '../contract/policy/schema.ts';
import { ambiguousRepetition } from '../contract/regex/ambiguity.ts';
import { parseRegex } from '../contract/regex/grammar.ts';
import { packageRoot } from '../platform/assets.ts';
import { compile } from './index.ts';

const products = readProducts(pathToFileURL(join(packageRoot, 'contract/policy/products/')));
const files = products.flatMap((product) => product.files);
const isBlocked = (policy: object) => {
  const guard = compile(Policy.parse(policy));
  return (path: string) =>
    guard.evaluate({ method: 'GET', target: encodeURI(path), headers: [] }).verdict === 'blocked';
};

describe('the table of products', () => {
  it('lists each name once', () => {
    const names = files.map(({ name }) => name.toLowerCase());
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
  });

  it('has standard names whose files the defaults block', () => {
    const blocks = isBlocked({});
    const standard = files.filter(({ size }) => size === 'standard');
    assert.deepEqual(
      standard.flatMap(({ name }) => spellings(name)).filter((path) => !blocks(path)),
      [],
    );
  });

  it('has extended names that the extended rules block', () => {
    const blocks = isBlocked({ builtinRules: 'extended' });
    assert.deepEqual(
      files.flatMap(({ name }) => spellings(name)).filter((path) => !blocks(path)),
      [],
    );
  });

  it('refuses a row without a source', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'guard-products-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const row = {
      product: 'X',
      group: 'tool',
      files: [{ name: 'x.yml', kind: 'settings', size: 'standard', why: 'a key' }],
    };
    writeFileSync(join(folder, 'tool.json'), JSON.stringify([row]));
    assert.throws(() => readProducts(pathToFileURL(`${folder}/`)), /source/);
  });
});

describe('rules for names of files', () => {
  for (const { id, pattern } of nameRules)
    it(`${id} has no ambiguous repetition`, () => {
      const parsed = parseRegex(pattern);
      assert.ok(parsed.ok);
      assert.equal(ambiguousRepetition(parsed.tree), undefined);
    });
});
