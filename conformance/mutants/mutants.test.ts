import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { mutants } from './index.ts';
import { apply, type Mutant } from './mutant.ts';
import { goPrefilters, luaPrefilters } from './prefilters.ts';

describe('mutants', () => {
  it('are at least 60, with unique names in each file', () => {
    assert.ok(mutants.length >= 60);
    assert.equal(new Set(mutants.map(({ file, name }) => `${file} ${name}`)).size, mutants.length);
  });

  it('each change a text that occurs in its file once', () => {
    const all: readonly Mutant[] = [...mutants, ...goPrefilters, ...luaPrefilters];
    const stale = all.filter(
      ({ file, find }) => readFileSync(join(packageRoot, file), 'utf8').split(find).length !== 2,
    );
    assert.deepEqual(
      stale.map(({ file, name }) => `${file}: ${name}`),
      [],
    );
  });

  it('each change something', () => assert.ok(mutants.every(({ find, replace }) => find !== replace)));
});

describe('apply', () => {
  it('writes the mistake into a copy, and refuses a text that is not there', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'mutants-test-'));
    t.after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'engine'));
    writeFileSync(join(folder, 'engine/a.ts'), 'one two');
    const mutant = { name: 'm', file: 'engine/a.ts', find: 'one', replace: 'three' };
    apply(mutant, folder);
    assert.equal(readFileSync(join(folder, 'engine/a.ts'), 'utf8'), 'three two');
    assert.throws(() => apply(mutant, folder), /occurs in engine\/a\.ts 0 times/);
  });
});
