import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomPattern } from '../../conformance/differential/policies.ts';
import { createRandom } from '../../conformance/differential/random.ts';
import { compileRegex } from './compile.ts';
import { parseRegex } from './grammar.ts';
import { literalBounds, requiredLiterals, textEnd, textStart } from './literals.ts';

function literalsOf(source: string): readonly string[] {
  const result = parseRegex(source);
  assert.ok(result.ok, source);
  return requiredLiterals(result.tree);
}

const shown = (literals: readonly string[]) =>
  literals.map((literal) => literal.replaceAll(textStart, '^').replaceAll(textEnd, '$'));

describe('requiredLiterals', () => {
  const cases: readonly (readonly [source: string, literals: readonly string[]])[] = [
    ['abc', ['abc']],
    ['(?i)\\.ENV', ['.env']],
    ['(?:^|/)\\.git(?:/|$)', ['^.git/', '^.git$', '/.git/', '/.git$']],
    ['a[0-9]+\\.php', ['.php']],
    ['a|b', ['a', 'b']],
    ['ab?c', ['ac', 'abc']],
    ['x{3}', ['xxx']],
    ['^/(?:[^/]+/)*_?log/', ['/log/', '/_log/']],
    ['/(?:[a-z]+[/.])*log', ['log']],
    ['/(?:a*)*log', ['log']],
    ['/(?:[ab][ab][ab][ab]/)?log', ['/log']],
    ['(?:ab){2,}', ['abab']],
    ['a\\bc', ['ac']],
    ['[a-z]+', []],
    ['(?i)/[a-h]', ['/a', '/b', '/c', '/d', '/e', '/f', '/g', '/h']],
    ['(?i)/[a-i]', ['/']],
    ['a*', []],
    ['(?:abc)?', []],
    ['|a', []],
    ['^$', ['^$']],
    ['$^', []],
    ['^^a', []],
    ['a|[^b]', []],
  ];
  for (const [source, literals] of cases)
    it(`finds ${literals.join(' ') || 'none'} in ${source}`, () =>
      assert.deepEqual(shown(literalsOf(source)), literals));

  it('are in every text that matches', () => {
    const random = createRandom(3);
    const characters = [...'/.evnaks%2-_ ENV'];
    for (let count = 0; count < 3000; count += 1) {
      const source = randomPattern(random);
      const literals = literalsOf(source);
      const regex = compileRegex(source);
      for (let texts = 0; texts < 30 && literals.length > 0; texts += 1) {
        const text = random.several(0, 10, () => random.pick(characters)).join('');
        const marked = textStart + text.toLowerCase() + textEnd;
        const isHeld = literals.some((literal) => marked.includes(literal));
        assert.ok(isHeld || !regex.test(text), `${source} matches ${text} without ${shown(literals)}`);
      }
    }
  });

  it('stay few and are found quickly for a pattern of many branches', () => {
    const branches = Array.from({ length: 100 }, (_, index) => `[abcdefgh]{4}${index}`);
    const literals = literalsOf(branches.join('|'));
    assert.ok(literals.length <= literalBounds.literals, String(literals.length));
  });
});
