import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withBlocks } from './yaml.ts';

const file = 'a:\n  # generated: items\n  - old\n  # end\nb: 1\n';

test('replaces a block at its indentation', () => {
  const expected = 'a:\n  # generated: items\n  - 1\n  - 2\n  # end\nb: 1\n';
  assert.equal(withBlocks(file, { items: () => ['- 1', '- 2'] }), expected);
});

test('refuses a block without markers, and markers without a block', () => {
  assert.throws(() => withBlocks(file, { items: () => [], other: () => [] }), /no marker for other/);
  assert.throws(() => withBlocks(file, {}), /there is no block "items"/);
});
