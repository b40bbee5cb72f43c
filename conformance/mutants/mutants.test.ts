import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { withMutants } from './go-functions.ts';
import { mutants } from './index.ts';
import { type Mutant, mutated } from './mutant.ts';
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

describe('mutated', () => {
  const mutant = { name: 'm', file: 'engine/a.ts', find: 'one', replace: 'three' };

  it('has the mistake', () => assert.equal(mutated(mutant, 'one two'), 'three two'));

  it('refuses a text that is not there', () =>
    assert.throws(() => mutated(mutant, 'two'), /occurs in engine\/a\.ts 0 times/));
});

describe('withMutants', () => {
  const source = `package p

const most = 1

func (s *scan) find(text string, yield func(a, b int) bool, more ...int) (at int, isFound bool) {
\treturn len(text), most > 0
}

func reset(from, to int) {
\tclear(from)
}
`;
  const edits = [
    ['nothing is found', 'most > 0', 'false'],
    ['nothing is cleared', 'clear(from)', '_ = from'],
    ['two are allowed', 'most = 1', 'most = 2'],
  ] as const;
  const list = edits.map(([name, find, replace]): Mutant => ({ name, file: 'p.go', find, replace }));

  it('calls a copy of the function that has the mutant, by number', () => {
    const { text, left } = withMutants(
      source,
      list.map((mutant, index) => [mutant, index + 1]),
    );
    assert.deepEqual(left, [list[2]]);
    for (const line of [
      '\t\treturn s.findMutant1(text, yield, more...)\n',
      'func (s *scan) findMutant1(text string, yield func(a, b int) bool, more ...int) (at int, isFound bool) {\n\treturn len(text), false\n}',
      '\tif mutant == 2 {\n\t\tresetMutant2(from, to)\n\t\treturn\n\t}\n\tclear(from)\n',
      'func resetMutant2(from, to int) {\n\t_ = from\n}',
    ])
      assert.ok(text.includes(line), `${line} is not in ${text}`);
  });
});
