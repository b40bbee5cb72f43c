import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editField, type Field, fieldOf, insertText, longestField } from './field.ts';

const at = (marked: string): Field => ({ text: marked.replace('|', ''), cursor: marked.indexOf('|') });
const marked = ({ text, cursor }: Field): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

const edits: readonly (readonly [before: string, key: string, after: string])[] = [
  ['ab|c', 'backspace', 'a|c'],
  ['|abc', 'backspace', '|abc'],
  ['a|bc', 'delete', 'a|c'],
  ['abc|', 'delete', 'abc|'],
  ['a😀|b', 'backspace', 'a|b'],
  ['a|😀b', 'right', 'a😀|b'],
  ['a😀|b', 'left', 'a|😀b'],
  ['|a', 'left', '|a'],
  ['a|', 'right', 'a|'],
  ['a|bc', 'home', '|abc'],
  ['a|bc', 'ctrl-e', 'abc|'],
  ['ab|c', 'ctrl-u', '|c'],
  ['/a/bc|', 'ctrl-w', '/a/|'],
  ['/a/|', 'ctrl-w', '/|'],
];

for (const [before, key, after] of edits)
  test(`${key} turns ${before} into ${after}`, () => {
    const field = editField(at(before), key);
    assert.ok(field);
    assert.equal(marked(field), after);
  });

test('other keys do not edit', () => assert.equal(editField(at('a|'), 'f5'), undefined));

test('inserts at the cursor and drops control characters', () =>
  assert.equal(marked(insertText(at('a|d'), 'b\x1b\r\nc\x9b')), 'abc|d'));

test('keeps line breaks only where they separate entries', () =>
  assert.equal(insertText(fieldOf(''), 'A: 1\r\nB: 2\r', true).text, 'A: 1\nB: 2\n'));

test('cuts a paste of 4 MB at the longest field', () => {
  const { text, cursor } = insertText(fieldOf('ab'), 'x'.repeat(4 * 1024 * 1024));
  assert.deepEqual([text.length, cursor], [longestField, longestField]);
});
