import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import patterns from '../policy/patterns.json' with { type: 'json' };
import { vectorFiles } from '../vectors/schema.ts';
import { trap } from './ambiguity.ts';
import { parseRegex } from './grammar.ts';

const vectors = join(packageRoot, 'contract/vectors/backtracking-loops.json');
const tests = vectorFiles.backtracking.parse(JSON.parse(readFileSync(vectors, 'utf8'))).flatMap((group) => group.tests);

function trapIn(pattern: string) {
  const parsed = parseRegex(pattern);
  assert.ok(parsed.ok, pattern);
  return trap(parsed.tree);
}

describe('trap', () => {
  for (const { id, description, pattern, offset } of tests)
    it(`${id}: ${description}`, () => assert.equal(trapIn(pattern)?.at, offset));

  for (const { id, pattern } of patterns) it(`finds none in ${id}`, () => assert.equal(trapIn(pattern), undefined));

  it('finds one in a group that is too large to be checked', () => {
    const words = Array.from({ length: 70 }, (_, index) => `w${index}`);
    assert.equal(trapIn(`(?:${words.join('|')})+`)?.kind, 'repeat');
    assert.equal(trapIn(`(?:${words.slice(10, 40).join('|')})+`), undefined);
  });
});
