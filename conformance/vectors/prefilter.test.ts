import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../differential/random.ts';
import { randomTarget } from '../differential/targets.ts';
import literals from '../../contract/generated/literals.json' with { type: 'json' };
import { textEnd, textStart } from '../../contract/regex/literals.ts';
import { escapeBytes } from '../../engine/bytes.ts';
import { createPrefilter } from '../../contract/regex/prefilter.ts';
import { createTrie } from '../../contract/regex/trie.ts';

describe('createPrefilter', () => {
  it('finds the rules whose literals occur, in any case', () => {
    const prefilter = createPrefilter([['env'], ['git', 'svn'], [], [`${textStart}/a`], [`b${textEnd}`]]);
    assert.deepEqual(prefilter('/x'), [2]);
    assert.deepEqual(prefilter('/.ENV'), [0, 2]);
    assert.deepEqual(prefilter('/svn/git'), [1, 2]);
    assert.deepEqual(prefilter('/ab'), [2, 3, 4]);
    assert.deepEqual(prefilter('/b/a'), [2]);
  });

  it('returns the same before and after its trie is built', () => {
    const random = createRandom(6);
    const lists = Object.values(literals);
    const old = createPrefilter(lists);
    for (let count = 0; count < 3000; count += 1) {
      const text = escapeBytes(randomTarget(random, ['/.env', '/wp-config.php']));
      const answer = old(text);
      if (count % 10 === 0) assert.deepEqual(answer, createPrefilter(lists)(text), text);
    }
  });

  it('tries every rule beyond the capacity of the trie', () => {
    const words = (rule: number) => Array.from({ length: 128 }, (_, index) => `${rule}-${index}-abcdefgh`);
    const prefilter = createPrefilter(Array.from({ length: 100 }, (_, rule) => words(rule)));
    let last: readonly number[] = [];
    for (let count = 0; count < 40; count += 1) last = prefilter('7-5-abcdefgh');
    assert.ok(last.includes(7));
    assert.ok(last.length > 1 && last.length < 100, String(last.length));
  });
});

describe('createTrie', () => {
  it('finds literals that overlap', () => {
    const trie = createTrie(20);
    assert.ok(trie.add(1, ['abc', 'b']) && trie.add(2, ['bcd']) && trie.add(3, ['bc']));
    assert.deepEqual(trie.ownersIn('xabcd'), new Set([1, 3, 2]));
    assert.equal(trie.ownersIn('acbd')?.has(2) ?? false, false);
  });

  it('refuses literals beyond its capacity', () => {
    const trie = createTrie(3);
    assert.equal(trie.add(1, ['abcd']), false);
    assert.equal(trie.add(2, ['abc']), true);
    assert.equal(trie.add(3, ['d']), false);
  });
});
