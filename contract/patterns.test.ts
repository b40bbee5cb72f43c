import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import RE2 from 're2';
import { parseRegex } from './regex/grammar.ts';

interface BuiltinRule {
  id: string;
  action: string;
  why: string;
  pattern: string;
  matches: string[];
  nearMisses: string[];
}

const file = new URL('../../contract/patterns.json', import.meta.url);
const rules = JSON.parse(readFileSync(file, 'utf8')) as BuiltinRule[];

describe('built-in rules', () => {
  it('are 62 with ids of their own', () => assert.equal(new Set(rules.map((rule) => rule.id)).size, 62));

  for (const rule of rules) {
    const regex = new RE2(rule.pattern, 'u');

    it(`${rule.id} lies in the grammar`, () => assert.deepEqual(parseRegex(rule.pattern).ok, true));

    it(`${rule.id} matches its examples and none of its near misses`, () => {
      assert.ok(rule.matches.length >= 3 && rule.nearMisses.length >= 3);
      assert.deepEqual(
        rule.matches.filter((example) => !regex.test(example)),
        [],
      );
      assert.deepEqual(
        rule.nearMisses.filter((example) => regex.test(example)),
        [],
      );
    });

    it(`${rule.id} says in one sentence what it is for`, () => assert.match(rule.why, /^[^\n]{20,160}\.$/));
  }
});
