import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Line, linesOf } from './lines.ts';

async function read(chunks: readonly string[], mostBytes = 100): Promise<Line[]> {
  async function* bytes() {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
  }
  const lines: Line[] = [];
  for await (const some of linesOf(bytes(), mostBytes)) lines.push(...some);
  return lines;
}

const texts = async (...args: Parameters<typeof read>) => (await read(...args)).map(({ text }) => text);

describe('reading lines', () => {
  it('ends a line at LF, CRLF or the end of input', async () => {
    assert.deepEqual(await texts(['/a\n/b\r\n/c']), ['/a', '/b', '/c']);
  });
  it('counts lines from 1, including empty ones', async () => {
    const lines = await read(['/a\n\n\r\n/b\n']);
    assert.deepEqual(
      lines.map(({ number, text }) => [number, text]),
      [
        [1, '/a'],
        [2, ''],
        [3, ''],
        [4, '/b'],
      ],
    );
  });
  it('returns the same lines for every split into chunks', async () => {
    const list = '/a\r\n\n/\xe9\0\r/b\n\r\r\n/end\r';
    const whole = await texts([list]);
    assert.deepEqual(whole, ['/a', '', '/\xe9\0\r/b', '\r', '/end']);
    for (let at = 0; at <= list.length; at += 1) {
      assert.deepEqual(await texts([list.slice(0, at), list.slice(at)]), whole, `cut at ${at}`);
    }
    assert.deepEqual(await texts([...list]), whole);
  });
  it('truncates a line at the limit and nowhere else', async () => {
    for (const chunks of [['1234\r\n12345\n/b\n'], [...'1234\r\n12345\n/b\n']]) {
      assert.deepEqual(
        (await read(chunks, 4)).map(({ text, isCut }) => [text, isCut]),
        [
          ['1234', false],
          ['1234', true],
          ['/b', false],
        ],
      );
    }
  });
  it('returns no line for empty input', async () => assert.deepEqual(await read(['', '']), []));
});
