import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { LineReader } from './lines.ts';

function readerOf(longest: number) {
  const lines: string[] = [];
  const faults: string[] = [];
  const reader = new LineReader({ line: (text) => lines.push(text), fault: (reason) => faults.push(reason) }, longest);
  return { reader, lines, faults };
}

test('keeps part of an endless line, and reports it beyond the bound', () => {
  const { reader, lines, faults } = readerOf(daemonBounds.serverLineBytes);
  const chunk = Buffer.alloc(65_536, 'x');
  const before = process.memoryUsage().arrayBuffers;
  for (let sent = 0; sent < 100 * 1024 * 1024; sent += chunk.length) reader.feed(chunk);
  const kept = process.memoryUsage().arrayBuffers - before;
  assert.deepEqual(faults, ['line_too_long']);
  assert.deepEqual(lines, []);
  assert.ok(kept <= 4 * daemonBounds.inspectorPendingBytes, `${kept} bytes`);
});

test('keeps the beginning and the end of a long line in any split', () => {
  const long = `begin${'x'.repeat(100_000)}end{12}`;
  const bytes = Buffer.from(`${long}\r\n`);
  const whole = readerOf(daemonBounds.serverLineBytes);
  whole.reader.feed(bytes);
  const [line = ''] = whole.lines;
  for (const size of [1, 7, 777]) {
    const cut = readerOf(daemonBounds.serverLineBytes);
    for (let at = 0; at < bytes.length; at += size) cut.reader.feed(bytes.subarray(at, at + size));
    assert.deepEqual(cut.lines, whole.lines);
  }
  assert.ok(line.startsWith('beginx') && line.endsWith('xend{12}'));
  assert.ok(line.length <= daemonBounds.inspectorPendingBytes);
});

test('passes content to its receiver, and lines follow', () => {
  const { reader, lines } = readerOf(100);
  const parts: string[] = [];
  const ends: number[] = [];
  reader.skip(5, { part: (bytes) => parts.push(bytes.toString()) > 0, end: () => ends.push(lines.length) });
  reader.feed(Buffer.from('a\n'));
  reader.feed(Buffer.from('b\ncline\n'));
  assert.deepEqual({ parts, ends, lines }, { parts: ['a\n', 'b\nc'], ends: [0], lines: ['line'] });
});

test('announces content as unseen up to its last byte, once its receiver needs no more', () => {
  const { reader, lines } = readerOf(100);
  const ends: number[] = [];
  reader.skip(10, { part: (bytes) => bytes.length < 3, end: () => ends.push(lines.length) });
  reader.feed(Buffer.from('12'));
  assert.equal(reader.unseen(), 0);
  reader.feed(Buffer.from('345'));
  assert.equal(reader.unseen(), 4);
  assert.equal(reader.unseen(), 0);
  assert.deepEqual(ends, []);
  reader.feed(Buffer.from('0line\n'));
  assert.deepEqual([ends, lines, reader.unseen()], [[0], ['line'], 0]);
  reader.stop();
  assert.equal(reader.unseen(), Number.POSITIVE_INFINITY);
});

test('a stopped reader stays stopped', () => {
  const { reader, lines, faults } = readerOf(100);
  reader.stop();
  reader.release();
  reader.hold('waits');
  reader.skip(0);
  reader.feed(Buffer.from('line\n'));
  assert.deepEqual({ lines, faults }, { lines: [], faults: [] });
});

test('a strict reader reports a byte that servers read differently at once', () => {
  const long = 'x'.repeat(30_000);
  const most = daemonBounds.inspectorPendingBytes;
  const expectations: Record<string, readonly string[]> = {
    carriage_return: [
      'a\r\0',
      'a\rb\0\n',
      'a\rb',
      'a\rb\r\n',
      `${long}\r${long}`,
      `${long}\r${long}\r\n`,
      'a\r\r\n',
      '\r\r\n',
    ],
    line_feed: ['\n', 'a\n', `${long}\n`, 'a\r\nb\nc\r\n'],
    null_byte: ['a\0b\r', 'a\0b\rc\n', 'a\0b', 'a\0b\r\n', 'a\0\r\n', `${long}\0${long}`, `${long}\0${long}\r\n`],
    none: ['a\r', 'a\r\n', `${long}\r\n`, 'a\r\nb\r\n'],
  };
  for (const [reason, texts] of Object.entries(expectations))
    for (const text of texts)
      for (const size of [1, 5, most - 100, text.length]) {
        const faults: string[] = [];
        const handler = { line: () => {}, fault: (fault: string) => faults.push(fault) };
        const reader = new LineReader(handler, 100_000, true);
        for (let at = 0; at < text.length; at += size) reader.feed(Buffer.from(text.slice(at, at + size)));
        assert.deepEqual(faults, reason === 'none' ? [] : [reason], `${JSON.stringify(text.slice(0, 10))} by ${size}`);
      }
});

test('a strict reader checks the part of a long line that it does not keep', () => {
  const most = daemonBounds.inspectorPendingBytes;
  const faults: string[] = [];
  const reader = new LineReader({ line: () => {}, fault: (reason) => faults.push(reason) }, 100_000, true);
  reader.feed(Buffer.from('x'.repeat(most - 100)));
  reader.feed(Buffer.from(`${'x'.repeat(200)}\r${'x'.repeat(200)}\r\n`));
  assert.deepEqual(faults, ['carriage_return']);
});

test('a limit applies to the lines that follow', () => {
  const { reader, lines, faults } = readerOf(10);
  reader.limit(20);
  reader.feed(Buffer.from(`${'x'.repeat(15)}\n`));
  reader.limit(10);
  reader.feed(Buffer.from(`${'x'.repeat(15)}\n`));
  assert.deepEqual([lines.length, faults], [1, ['line_too_long']]);
});
