import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { Text } from 'ink';
import type { Context } from './context.ts';
import { drawLive } from './live.tsx';
import type { ViewProps } from './view.ts';

function Counter({ progress }: ViewProps<number>) {
  return <Text>{`step ${progress ?? 0}`}</Text>;
}

function terminal() {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return {
    context: { stdout: stream, stderr: stream, env: { NO_COLOR: '1' } } as unknown as Context,
    text: () => stripVTControlCharacters(text),
    raw: () => text,
  };
}

async function* counting() {
  yield 1;
  await new Promise((resolve) => setImmediate(resolve));
  yield 2;
  return 'done';
}

describe('a live view', () => {
  it('ends with the last step and a newline, and returns the result', async () => {
    const { context, text } = terminal();
    assert.equal(await drawLive(Counter, counting(), context), 'done');
    assert.match(text(), /step 2\n$/);
  });
  it('adds no color with NO_COLOR', async () => {
    const Painted = ({ progress = 0, paint }: ViewProps<number>) => <Text>{paint('red', `x${progress}`)}</Text>;
    const { context, raw } = terminal();
    await drawLive(Painted, counting(), context);
    assert.ok(raw().includes('x2') && !raw().includes('\x1b[31m'), JSON.stringify(raw()));
  });
  it('rethrows the error of the run and releases the terminal', async () => {
    // biome-ignore lint/correctness/useYield: it fails before it yields progress
    async function* run(): AsyncGenerator<number, string, void> {
      throw new Error('no runtime');
    }
    const { context, text } = terminal();
    await assert.rejects(drawLive(Counter, run(), context), { message: 'no runtime' });
    assert.match(text(), /step 0/);
  });
});
