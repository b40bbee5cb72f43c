import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import type { Mutant } from './mutant.ts';
import { Proofs, type Tests } from './proofs.ts';

const mutantOf = (name: string, file = 'engine/bytes.ts'): Mutant => ({ name, file, find: 'a', replace: 'b' });
const mutants = [mutantOf('one'), mutantOf('two'), mutantOf('three', 'engine/decode.ts')] as const;
const [one, two, three] = mutants;
const tests: Tests = new Map([
  ['t1', 'hash 1'],
  ['t2', 'hash 2'],
]);

describe('the record of proven mutants', () => {
  let folder = '';
  const open = (list: readonly Mutant[] = mutants, known = tests): Proofs => new Proofs('record', list, known, folder);
  const pendingOf = (...args: Parameters<typeof open>): string[] =>
    open(...args)
      .pending()
      .map(({ name }) => name);

  beforeEach(() => {
    folder = scratchFolder('guard-proofs-');
    const proofs = open();
    proofs.add(one, 't1');
    proofs.add(two, 't2');
  });

  it('has no pending mutants in files that are proven', () => assert.deepEqual(pendingOf(), ['three']));

  it('has every mutant of a file until all of them are noticed', () => {
    folder = scratchFolder('guard-proofs-');
    open().add(one, 't1');
    assert.deepEqual(pendingOf(), ['one', 'two', 'three']);
  });

  it('keeps proofs of an earlier run', () => {
    open().add(three, 't1');
    assert.deepEqual(pendingOf(), []);
  });

  it('runs the mutants of a file whose list of mutants changed', () => {
    const edited = { ...two, replace: 'c' };
    assert.deepEqual(pendingOf([one, edited, three]), ['one', 'two', 'three']);
    assert.deepEqual(pendingOf([one, three]), ['one', 'three']);
    assert.deepEqual(pendingOf([...mutants, mutantOf('four')]), ['one', 'two', 'four', 'three']);
  });

  it('runs the mutants of a file whose text changed', () => {
    const record = join(folder, 'record.json');
    writeFileSync(record, readFileSync(record, 'utf8').replace('engine/bytes.ts', 'engine/fold.ts'));
    const moved = [mutantOf('one', 'engine/fold.ts'), mutantOf('two', 'engine/fold.ts')];
    assert.deepEqual(pendingOf(moved), ['one', 'two']);
  });

  it('runs the mutants that a changed or missing test noticed', () => {
    assert.deepEqual(pendingOf(mutants, new Map([...tests, ['t2', 'another hash']])), ['one', 'two', 'three']);
    assert.deepEqual(pendingOf(mutants, new Map([['t1', 'hash 1']])), ['one', 'two', 'three']);
    assert.deepEqual(pendingOf(mutants, new Map([...tests, ['t3', 'hash 3']])), ['three']);
  });

  it('refuses a damaged record', () => {
    writeFileSync(join(folder, 'record.json'), '{"engine/bytes.ts"');
    assert.throws(open, SyntaxError);
  });
});
