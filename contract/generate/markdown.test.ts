import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inlineCode, table, withTables } from './markdown.ts';

const page = '# A\n\n<!-- generated: one -->\nold\n<!-- end -->\n\ntext\n';

describe('withTables', () => {
  it('replaces the text between the markers, and nothing else', () => {
    const once = withTables(page, { one: () => 'new' });
    assert.equal(once, '# A\n\n<!-- generated: one -->\n\nnew\n\n<!-- end -->\n\ntext\n');
    assert.equal(withTables(once, { one: () => 'new' }), once);
  });

  it('refuses a marker without table and a table without marker', () => {
    assert.throws(() => withTables(page, {}), /there is no table "one"/);
    assert.throws(() => withTables(page, { one: () => '', two: () => '' }), /no marker for two/);
  });
});

it('keeps bars, line breaks and backticks from breaking a table', () => {
  const text = table(
    ['a', 'b'],
    [
      [inlineCode('x|y'), 'two\nlines'],
      [inlineCode('`'), ''],
    ],
  );
  assert.equal(text, '| a | b |\n|---|---|\n| `x\\|y` | two lines |\n| `` ` `` |  |');
});
