import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchingTexts } from './pattern.ts';

const rows: readonly (readonly [pattern: string, inserted: string, texts: readonly string[]])[] = [
  ['^/x(.*)$', '.git', ['/x.git']],
  ['^/api/?(.*)$', '.git', ['/api.git', '/api/.git']],
  ['^/(.*)\\.html$', '.git', ['/.git.html']],
  ['^/f/([a-z]+)/([a-z]+)$', 'sql', ['/f/sql/a', '/f/a/sql']],
  ['^/f/([a-z]+)$', '.git', []],
  ['^/[xy]-(\\d+)(.*)', '.git', ['/x-1.git']],
  ['^/x/(?<file>.*)$', 'a', ['/x/a']],
  ['(?i)^/A(?:b(.*))?$', '.git', ['/Ab.git']],
  ['^/(?:a|b)/([^/]+)/v[0-9]{1,3}$', '.git', ['/a/.git/v1']],
  ['^/a$|^/b(.*)$', '.git', ['/b.git']],
  ['^/x[(](.*)[)]$', 'a', ['/x(a)']],
  ['\\.php$', '.git', []],
  ['^/((', 'a', []],
];

describe('texts that a pattern of nginx matches', () => {
  for (const [pattern, inserted, texts] of rows)
    it(`with ${inserted} in ${pattern}`, () => assert.deepEqual(matchingTexts(pattern, inserted), texts));
});
