import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { parseRegex } from '../../contract/regex/grammar.ts';
import { vectorFiles } from '../../contract/vectors/schema.ts';
import { candidateOutcome, type Outcome, regexOutcome, upgradeOutcome, verdictOutcome } from './compare.ts';
import { compile, keptUpgrades, pathCandidates } from '../../engine/index.ts';

const folder = join(packageRoot, 'conformance/vectors');
const subject = { compile, pathCandidates, parseRegex };
const consumed: string[] = [];

function contents(kind: keyof typeof vectorFiles): { name: string; content: unknown }[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.json'));
  consumed.push(...names);
  return names.sort().map((name) => ({ name, content: JSON.parse(readFileSync(join(folder, name), 'utf8')) }));
}

function check(test: { id: string; description: string }, outcome: () => Outcome): void {
  it(`${test.id}: ${test.description}`, () => {
    const { expected, actual } = outcome();
    assert.deepEqual(actual, expected);
  });
}

for (const { name, content } of contents('candidates'))
  describe(name, () => {
    for (const { tests } of vectorFiles.candidates.parse(content))
      for (const test of tests) check(test, () => candidateOutcome(subject, test));
  });

for (const { name, content } of contents('regex'))
  describe(name, () => {
    for (const { tests } of vectorFiles.regex.parse(content))
      for (const test of tests) check(test, () => regexOutcome(subject, test));
  });

for (const { name, content } of contents('verdicts'))
  describe(name, () => {
    for (const { policy, tests } of vectorFiles.verdicts.parse(content)) {
      const guard = compile(Policy.parse(policy));
      for (const test of tests) check(test, () => verdictOutcome(guard, test));
    }
  });

for (const { name, content } of contents('upgrades'))
  describe(name, () => {
    for (const { allowUpgrades, tests } of vectorFiles.upgrades.parse(content))
      for (const test of tests) check(test, () => upgradeOutcome(keptUpgrades, allowUpgrades, test));
  });

const ofOtherComponents = /^(?:policies|captcha|backtracking)-/;

describe('conformance data of the engine', () => {
  it('is every file except those for other components', () => {
    const all = readdirSync(folder).filter((name) => name.endsWith('.json') && !ofOtherComponents.test(name));
    assert.deepEqual(consumed.sort(), all.sort());
  });
});
