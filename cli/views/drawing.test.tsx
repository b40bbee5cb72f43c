import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Drawing } from './drawing.tsx';

process.env.FORCE_COLOR = '1'; // Ink reads it when it is imported
const { renderToString } = await import('ink');
const { Box, DrawingContext, Text } = await import('./drawing.tsx');

const drawn = (drawing: Drawing): string =>
  renderToString(
    <DrawingContext value={drawing}>
      <Box flexDirection="column" height={3}>
        <Text inverse wrap="truncate-end">
          {'a '}
          <Text color="red">b</Text>
          {['c', null, false]}
        </Text>
      </Box>
    </DrawingContext>,
    { columns: 4 },
  );

test('text has the colors of the terminal, also within other text', () => {
  assert.equal(drawn({ hasColor: true, hasScreenReader: false }), '\x1b[7ma \x1b[31mb\x1b[39mc\x1b[27m\n\n');
});

test('the selected row stays visible where the terminal has no colors', () => {
  assert.equal(drawn({ hasColor: false, hasScreenReader: false }), '\x1b[7ma bc\x1b[27m\n\n');
});

test('a screen reader gets no styles, brackets around what is selected, and no empty rows', () => {
  assert.equal(drawn({ hasColor: true, hasScreenReader: true }), '[a …');
});
