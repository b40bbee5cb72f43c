import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomPattern } from '../../conformance/differential/policies.ts';
import { createRandom } from '../../conformance/differential/random.ts';
import { limits } from '../policy/limits.ts';
import { compileRegex } from './compile.ts';
import { parseRegex } from './grammar.ts';
import { type RefusalName, refusals } from './refusals.ts';
import { printable, type RegexNode } from './syntax.ts';

const treeOf = (source: string): RegexNode => {
  const result = parseRegex(source);
  assert.ok(result.ok, source);
  return result.tree;
};

/** One example for each reason. */
const refused: Readonly<Record<RefusalName, readonly [source: string, offset: number]>> = {
  notPrintable: ['ab\tc', 2],
  tooLong: ['a'.repeat(limits.regexBytes + 1), limits.regexBytes],
  tooDeep: [`${'('.repeat(33)}a${')'.repeat(33)}`, 32],
  tooLarge: ['a(?:bcdefg){999}', 11],
  unclosedGroup: ['a(b(c)', 1],
  unopenedGroup: ['a)b', 1],
  badGroup: ['a(?>b)', 1],
  lookaround: ['a(?<!b)', 1],
  namedGroup: ['(?P<n>a)', 0],
  comment: ['a(?#b)', 1],
  verb: ['(*UTF)a', 0],
  nothingToRepeat: ['a|*', 2],
  repeatedQuantifier: ['a+?+', 3],
  badQuantifier: ['a{,2}', 1],
  reversedQuantifier: ['a{2,1}', 1],
  largeQuantifier: ['a{1001}', 1],
  largeProduct: ['(?:a{40}){26}', 9],
  badEscape: ['a\\y', 1],
  badHex: ['\\x1F', 0],
  backreference: ['(a)\\1', 3],
  unicodeClass: ['\\pL', 0],
  quoting: ['\\Qa\\E', 0],
  danglingEscape: ['a\\', 1],
  unclosedClass: ['a[b', 1],
  emptyClass: ['[]', 0],
  badPosixClass: ['[[:foo:]]', 1],
  strayHyphen: ['[a-c-e]', 4],
  classInRange: ['[a-\\d]', 2],
  reversedRange: ['[z-a]', 2],
};

describe('parseRegex', () => {
  for (const [name, [source, offset]] of Object.entries(refused))
    it(`refuses ${source.slice(0, 20)}: ${name}`, () =>
      assert.deepEqual(parseRegex(source), { ok: false, offset, reason: refusals[name as RefusalName] }));

  it('applies the flag i to characters and classes, to the end of its group', () => {
    assert.deepEqual(treeOf('(?:(?i)k[^a])k'), {
      kind: 'sequence',
      parts: [
        {
          kind: 'group',
          at: 0,
          body: {
            kind: 'sequence',
            parts: [
              { kind: 'set', members: 'Kk' },
              { kind: 'set', members: [...printable].filter((character) => !/a/i.test(character)).join('') },
            ],
          },
        },
        { kind: 'set', members: 'k' },
      ],
    });
  });

  it('reports the position and bounds of a repeat', () =>
    assert.deepEqual(treeOf('ab{2,}?'), {
      kind: 'sequence',
      parts: [
        { kind: 'set', members: 'a' },
        { kind: 'repeat', at: 2, body: { kind: 'set', members: 'b' }, min: 2, max: Infinity },
      ],
    }));

  it('counts the bytes of a pattern with its counts written out', () => {
    for (const [source, written] of [
      ['ab?c*d+', 'ab?c*d+'],
      ['x{0}', 'x{0}'],
      ['x{2,5}', 'xxx?x?x?{2,5}'],
      ['[a-c]{0,3}', '[a-c][a-c]?[a-c]?{0,3}'],
      ['(?:a{2}|\\.){2,}z', '(?:aa{2}|\\.)(?:aa{2}|\\.){2,}z'],
    ] as const) {
      const result = parseRegex(source);
      assert.equal(result.ok && result.bytes, written.length, source);
    }
  });

  it('never throws, whatever the text', () => {
    const random = createRandom(1);
    const characters = [...'()[]{}?*+|^$\\.-:!<>=,019abdisxzPQE'];
    for (let count = 0; count < 20_000; count += 1)
      parseRegex(random.several(0, 12, () => random.pick(characters)).join(''));
  });
});

describe('compileRegex', () => {
  it('compiles every pattern of the grammar', () => {
    const random = createRandom(2);
    for (let count = 0; count < 2000; count += 1) {
      const source = randomPattern(random);
      if (parseRegex(source).ok) compileRegex(source);
    }
  });

  it('compiles the largest class as often as the grammar allows it', () => {
    const odd = [...printable].filter((_, index) => index % 2 === 0).map((c) => `\\x${c.charCodeAt(0).toString(16)}`);
    const source = `(?:(?i:[^${odd.join('')}]){100}){10}`;
    assert.ok(parseRegex(source.repeat(5)).ok);
    assert.ok(!parseRegex(source.repeat(6)).ok);
    compileRegex(source.repeat(5));
  });

  it('reads the same class as the grammar where JavaScript names groups', () => {
    const regex = compileRegex('^[(?<x]$');
    assert.deepEqual(
      [...printable].filter((character) => regex.test(character)),
      ['(', '<', '?', 'x'],
    );
  });

  it('agrees with the sets of the grammar', () => {
    for (const source of [
      '[[:punct:]]',
      '[^[:alnum:]_]',
      '\\W',
      '\\s',
      '(?i)[k-m]',
      '(?i)[^[:upper:]]',
      '.',
      '[!-/:-@]',
      '[\\]\\-^]',
      '[-a]',
      '[a-]',
    ]) {
      const regex = compileRegex(`^(?:${source})$`);
      const matched = [...printable].filter((character) => regex.test(character)).join('');
      const tree = treeOf(source);
      assert.deepEqual(tree, { kind: 'sequence', parts: [{ kind: 'set', members: matched }] }, source);
    }
  });
});
