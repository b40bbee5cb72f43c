import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asPath, asValue, examplesOf, nearTextsOf } from './examples.ts';

const patterns = [
  '(?i)^/internal/',
  '^/v[0-9]{2,}/(?:admin|root)$',
  'env$',
  '^/a+b*c?$',
  '\\.(?:bak|old)(?:\\d|$)',
  '^[^a-z]x{3}',
  '^/x\\x41\\.php\\?',
];

test('builds examples that match their pattern', () => {
  for (const pattern of patterns) {
    const regex = new RegExp(pattern.replace('(?i)', ''), 'i');
    assert.ok(
      examplesOf(pattern).some((text) => regex.test(text)),
      `${pattern}: ${examplesOf(pattern).join(' ')}`,
    );
  }
});

test('builds an example for each branch of an alternation', () => {
  assert.deepEqual(examplesOf('a|b|c'), ['a', 'b', 'c']);
});

test('builds no example for a pattern outside of the grammar', () => assert.deepEqual(examplesOf('(?=x)'), []));

test('builds near misses that differ in one character, starting with the last', () => {
  assert.deepEqual(nearTextsOf('ab').slice(0, 3), ['a-', 'a', 'ax']);
  assert.equal(nearTextsOf('ab').length, 6);
});

test('encodes a text as a path without a byte that ends the path', () => {
  const text = 'a b%?#"<>é\\'.replace('é', '');
  assert.equal(asPath(text), '/a%20b%25%3f%23%22%3c%3e%5c');
  assert.equal(decodeURIComponent(asPath(text)), `/${text}`);
  assert.equal(asValue('a&b=c+d'), 'a%26b%3dc%2bd');
});
