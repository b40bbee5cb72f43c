import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomPattern } from '../../../conformance/differential/policies.ts';
import { createRandom } from '../../../conformance/differential/random.ts';
import { builtInRules } from '../../policy/builtin-rules.ts';
import { compileRegex } from '../../regex/compile.ts';
import { createTest } from './custom-rules.ts';

test('a tester matches what the pattern matches', () => {
  const random = createRandom(20_261_126);
  const texts = builtInRules.flatMap(({ matches, nearMisses }) => [...matches, ...nearMisses]);
  const sources = [
    ...builtInRules.map(({ pattern }) => pattern),
    ...Array.from({ length: 300 }, () => randomPattern(random)),
  ];
  for (const source of sources) {
    const [matches, regex] = [createTest(source), compileRegex(source)];
    for (const text of texts) assert.equal(matches(text), regex.test(text), `${source} of ${text}`);
  }
});
