import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Key } from 'ink';
import { pressesOf } from './press.ts';

const cases: readonly (readonly [input: string, key: Partial<Key>, names: readonly string[]])[] = [
  ['', { upArrow: true }, ['up']],
  ['', { tab: true, shift: true }, ['shift-tab']],
  ['p', { ctrl: true }, ['ctrl-p']],
  ['1', { meta: true }, ['alt-1']],
  ['', { escape: true, meta: true }, ['escape']],
  ['/.env', {}, ['/.env']],
  ['ab\rc\t', {}, ['ab', 'enter', 'c', 'tab']],
  ['\x15\x15a\x10\x7f', {}, ['ctrl-u', 'ctrl-u', 'a', 'ctrl-p', 'backspace']],
  ['', {}, []],
];

for (const [input, key, names] of cases)
  test(`${JSON.stringify(input)} with ${Object.keys(key).join('+') || 'no flag'} is ${names.join(' ') || 'nothing'}`, () =>
    assert.deepEqual(
      pressesOf(input, key as Key).map(({ name }) => name),
      names,
    ));

test('only characters are text', () =>
  assert.deepEqual(
    pressesOf('a\r', {} as Key).map(({ text }) => text),
    ['a', ''],
  ));
