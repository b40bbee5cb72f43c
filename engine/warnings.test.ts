import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadPolicy } from '../contract/load/policy.ts';
import type { PolicyFile } from '../contract/policy/schema.ts';
import { warningsOf } from './warnings.ts';

function linesOf(file: PolicyFile): string[] {
  const loaded = loadPolicy(new TextEncoder().encode(JSON.stringify(file, undefined, 1)), 'guard.json');
  assert.ok(loaded.ok);
  return warningsOf(loaded).map(({ kind, path, line }) => `${line} ${kind} ${path}`);
}

describe('warnings that need a verdict', () => {
  it('are in the order of the file, among the others', () => {
    const response = { mode: 'redirect', redirectUrl: '/gone', gzipBombMb: 1 } as const;
    assert.deepEqual(linesOf({ mode: 'detect', blockPatterns: ['^/gone'], response, methods: ['*'] }), [
      '2 detect mode',
      '8 blocked_redirect response.redirectUrl',
      '9 no_effect response.gzipBombMb',
    ]);
  });

  it('find a redirect to the default target', () => {
    const file: PolicyFile = { methods: ['*'], blockPatterns: ['^/$'], response: { mode: 'redirect' } };
    assert.deepEqual(linesOf(file), ['8 blocked_redirect response.redirectUrl']);
  });

  for (const redirectUrl of ['/gone', 'https://a.b/.env'])
    it(`do not concern a redirect to ${redirectUrl}`, () =>
      assert.deepEqual(linesOf({ methods: ['*'], response: { mode: 'redirect', redirectUrl } }), []));
});
