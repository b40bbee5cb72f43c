import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { builtInRules } from '../policy/builtin-rules.ts';
import { vectorFiles } from '../vectors/schema.ts';
import { ambiguousRepetition } from './ambiguity.ts';
import { parseRegex } from './grammar.ts';

const vectors = join(packageRoot, 'conformance/vectors/backtracking-loops.json');
const tests = vectorFiles.backtracking.parse(JSON.parse(readFileSync(vectors, 'utf8'))).flatMap((group) => group.tests);

function repetitionIn(pattern: string) {
  const parsed = parseRegex(pattern);
  assert.ok(parsed.ok, pattern);
  return ambiguousRepetition(parsed.tree);
}

describe('ambiguousRepetition', () => {
  for (const { id, description, pattern, offset } of tests)
    it(`${id}: ${description}`, () => assert.equal(repetitionIn(pattern)?.at, offset));

  for (const { id, pattern } of builtInRules)
    it(`finds none in ${id}`, () => assert.equal(repetitionIn(pattern), undefined));

  it('finds one in a group that is too large to be checked', () => {
    const words = Array.from({ length: 70 }, (_, index) => `w${index}`);
    assert.equal(repetitionIn(`(?:${words.join('|')})+`)?.kind, 'repeat');
    assert.equal(repetitionIn(`(?:${words.slice(10, 40).join('|')})+`), undefined);
  });
});
