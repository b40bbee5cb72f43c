import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { ReadStream } from 'node:tty';
import { createFilter, filterTerminal, longestPaste } from './terminal-input.ts';

/** Pushes the text in chunks of `size` characters. */
function through(text: string, size = text.length): string {
  const filter = createFilter();
  let output = '';
  for (let at = 0; at < text.length; at += size) output += filter.push(text.slice(at, at + size));
  return output + filter.flush();
}

const mouse: readonly (readonly [string, string])[] = [
  ['X10', '\x1b[M !!'],
  ['X10 with control characters', '\x1b[M\x03\x0d\x7f'],
  ['SGR press', '\x1b[<0;120;40M'],
  ['SGR release', '\x1b[<0;120;40m'],
  ['urxvt', '\x1b[32;120;40M'],
];

for (const [name, report] of mouse)
  test(`drops mouse reports: ${name}`, () => {
    for (const size of [1, 2, 3, 5, 100]) assert.equal(through(`a${report}b${report}`, size), 'ab', String(size));
  });

test('forwards keys unchanged, whole or in parts', () => {
  const keys = 'a\x1b[A\x1b[1;5C\x1b[3~\x1bOP\x1b1\x03\x1b';
  for (const size of [1, 2, 7, 100]) assert.equal(through(keys, size), keys, String(size));
});

test('bounds a paste of megabytes and ends it', () => {
  const output = through(`\x1b[200~${'x'.repeat(5_000_000)}\x1b[201~y`, 65_536);
  assert.equal(output, `\x1b[200~${'x'.repeat(longestPaste)}\x1b[201~y`);
});

test('ends a paste without an end at Ctrl+C', () => {
  const filter = createFilter();
  assert.equal(filter.push('\x1b[200~ab\x03c\x1b[20'), '\x1b[200~ab\x03c');
  assert.equal(filter.push('\x03'), '\x1b[201~\x03');
  assert.equal(filter.push('d'), 'd');
});

test('bounds a chunk that is not marked as a paste', () =>
  assert.equal(through('x'.repeat(5_000_000)).length, longestPaste));

test('forwards a mouse report inside of a paste as text', () =>
  assert.equal(through('\x1b[200~\x1b[M !!\x1b[201~'), '\x1b[200~\x1b[M !!\x1b[201~'));

test('reports a terminal that was closed, and not one that is left', async () => {
  for (const [isLeft, expected] of [
    [false, 1],
    [true, 0],
  ] as const) {
    const terminal = new PassThrough();
    let ended = 0;
    const { close } = filterTerminal(terminal as unknown as ReadStream, () => (ended += 1));
    if (isLeft) close();
    terminal.resume().end();
    await once(terminal, 'close');
    assert.equal(ended, expected);
  }
});
