import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import RE2 from 're2';
import { builtInRules } from '../contract/policy/builtin-rules.ts';
import { Policy } from '../contract/policy/schema.ts';
import { parseRegex } from '../contract/regex/grammar.ts';
import { receives } from './hosts/caddy.ts';
import { asSent } from './hosts/received.ts';
import { compile } from './index.ts';

const rules = builtInRules;
const guard = compile(Policy.parse({ checkQuery: true, builtinRules: 'extended' }));
const verdictOn = (target: string) => guard.evaluate({ method: 'GET', target, headers: [] });

describe('built-in rules', () => {
  it('have unique ids', () => assert.equal(new Set(rules.map((rule) => rule.id)).size, rules.length));

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

    it(`${rule.id} is named for its probe and silent on its near probe`, () => {
      const { verdict, rule: named } = verdictOn(rule.probe);
      assert.deepEqual([verdict, named], [rule.action === 'block' ? 'blocked' : 'allowed', rule.id]);
      assert.notEqual(verdictOn(rule.nearProbe).rule, rule.id);
    });

    it(`${rule.id} has probes that Caddy passes`, () =>
      assert.deepEqual(
        [rule.probe, rule.nearProbe].map((target) => receives(asSent({ target })).kind),
        ['passed', 'passed'],
      ));

    it(`${rule.id} says in one sentence what it is for`, () => assert.match(rule.why, /^[^\n]{20,160}\.$/));
  }
});
