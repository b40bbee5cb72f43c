import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Text } from 'ink';
import { coloredPaint, plain } from '../../program/paint.ts';
import { lineText } from './line-text.ts';
import { Title } from './lines.tsx';
import { paintOf } from './paint.ts';

const line = (
  <Text inverse>
    {'a '}
    <Text color="red">b</Text>
    {1}
    {false}
    {['c', null]}
    {undefined}
  </Text>
);

test('joins the parts of a line, with the text of components', () => {
  assert.equal(lineText(line, plain), 'a b1c');
  assert.equal(lineText(<Title text="Rule" width={8} />, plain), 'Rule ───');
});

test('styles a part within a styled line', () => {
  assert.equal(lineText(line, coloredPaint), '\x1b[7ma \x1b[31mb\x1b[39m1c\x1b[27m');
});

test('keeps the selected row visible where the terminal has no colors', () => {
  const paint = paintOf({ stdout: { isTTY: true } as never, env: { NO_COLOR: '1' } });
  assert.equal(lineText(line, paint), '\x1b[7ma b1c\x1b[27m');
});
