import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineReader } from './lines.ts';

const text = 'a\n\nbc\nlonger than the most bytes\ndé\nunfinished';

/** What a reader makes of the text in pieces of a length. */
function read(length: number) {
  const lines: string[] = [];
  let skipped = 0;
  const reader = new LineReader(0, false, {
    encoding: 'utf8',
    mostBytes: 10,
    onLine: (line) => lines.push(line),
    onSkipped: () => {
      skipped += 1;
    },
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) reader.push(bytes.subarray(at, at + length));
  return { lines, skipped, done: reader.doneOffset };
}

test('lines are the same however the bytes arrive', () => {
  const expected = { lines: ['a', '', 'bc', 'dé'], skipped: 1, done: Buffer.byteLength(text) - 'unfinished'.length };
  for (let length = 1; length <= text.length + 1; length += 1) assert.deepEqual(read(length), expected, `${length}`);
});
