import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { didYouMean, nearest } from './nearest.ts';

const known = ['allowedIps', 'allowPatterns', 'blockPatterns', 'methods', 'mode', 'rules', 'secret'];

const meant: [string, string][] = [
  ['allowed_ips', 'allowedIps'],
  ['AllowedIPs', 'allowedIps'],
  ['block-patterns', 'blockPatterns'],
  ['metohds', 'methods'],
  ['mod', 'mode'],
  ['rulse', 'rules'],
  ['secrets', 'secret'],
  ['blockPaterns', 'blockPatterns'],
  ['allow', 'allowedIps'],
  ['meth', 'methods'],
];

describe('nearest', () => {
  for (const [word, key] of meant) it(`reads ${word} as ${key}`, () => assert.equal(nearest(word, known), key));

  it('replaces words of other tools, where the replacement is possible', () => {
    assert.equal(nearest('https', ['http', 'tls']), 'tls');
    assert.equal(nearest('https', ['https', 'tls']), 'https');
    assert.equal(nearest('https', ['http']), 'http');
    assert.equal(nearest('maxretry', ['window', 'ban_after_failures']), 'ban_after_failures');
    assert.equal(nearest('maxretry', ['constructor']), undefined);
  });

  it('suggests nothing for a word like none', () => {
    assert.equal(nearest('zzzzzz', known), undefined);
    assert.equal(nearest('x', known), undefined);
    assert.equal(nearest('bl', known), undefined);
    assert.equal(nearest('', known), undefined);
  });

  it('does not compare words longer than any key', () => {
    assert.equal(nearest(`${'x'.repeat(100_000)}`, ['x'.repeat(100_000)]), undefined);
  });

  it('puts the suggestion in words', () => {
    assert.equal(didYouMean('rule', known), 'did you mean "rules"?');
    assert.equal(didYouMean('qqqq', known), undefined);
  });
});
