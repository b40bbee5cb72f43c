import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import patterns from '../patterns.json' with { type: 'json' };
import { trap } from './ambiguity.ts';
import { parseRegex } from './grammar.ts';

function trapIn(pattern: string) {
  const parsed = parseRegex(pattern);
  assert.ok(parsed.ok, pattern);
  return trap(parsed.tree);
}

describe('trap', () => {
  for (const { id, pattern } of patterns) it(`finds none in ${id}`, () => assert.equal(trapIn(pattern), undefined));
});
