import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomNumbers } from '../testing/random.ts';
import { createMessageEnd } from './message-end.ts';

/** Finds the end of a message with a regular expression over the whole text. */
function endOf(text: string): number | undefined {
  const found = /(?:^|\r\n)\.\r\n/.exec(text);
  return found ? found.index + found[0].length : undefined;
}

/** Finds the end with `find`, in chunks of `size` bytes. */
function found(text: string, size: number): number | undefined {
  const bytes = Buffer.from(text, 'latin1');
  const end = createMessageEnd(false);
  for (let at = 0; at < bytes.length; at += size) {
    const inChunk = end.find(bytes.subarray(at, at + size), 0);
    if (inChunk) return at + inChunk.at;
  }
  return undefined;
}

/** Finds the end for a strict reader, in chunks of `size` bytes. */
function strictEnd(text: string, size: number): { at: number; isAmbiguous: boolean } | undefined {
  const bytes = Buffer.from(text, 'latin1');
  const end = createMessageEnd(true);
  for (let at = 0; at < bytes.length; at += size) {
    const inChunk = end.find(bytes.subarray(at, at + size), 0);
    if (inChunk) return { ...inChunk, at: at + inChunk.at };
  }
  return undefined;
}

test('finds the end by the standard in any text and any chunks', () => {
  const random = randomNumbers(7);
  for (let run = 0; run < 20_000; run += 1) {
    const text = Array.from({ length: 24 }, () => '\r\n.x'[Math.floor(random() * 4)]).join('');
    for (const size of [1, 2, 3, 5, 24]) assert.equal(found(text, size), endOf(text), JSON.stringify({ text, size }));
  }
});

for (const text of [
  'a\n.\n',
  'a\n.\r\n',
  'a\n.\r\r\n',
  'a\r\n.\n',
  'a\r\n.\rb',
  'a\r\n.\r\r\n',
  'a\r.\n',
  'a\r.\r\n',
  'a\r.\rb',
])
  test(`${JSON.stringify(text)} is an ambiguous end`, () => {
    assert.equal(createMessageEnd(true).find(Buffer.from(text), 0)?.isAmbiguous, true);
    assert.equal(createMessageEnd(false).find(Buffer.from(text), 0), undefined);
  });

test('finds the same ambiguous end in any text and any chunks', () => {
  const random = randomNumbers(8);
  for (let run = 0; run < 20_000; run += 1) {
    const text = Array.from({ length: 24 }, () => '\r\n.x'[Math.floor(random() * 4)]).join('');
    const byByte = strictEnd(text, 1);
    for (const size of [2, 3, 5, 24]) assert.deepEqual(strictEnd(text, size), byByte, JSON.stringify({ text, size }));
  }
});
