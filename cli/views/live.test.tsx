import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { Text } from 'ink';
import type { ViewProps } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import { drawLive } from './live.tsx';

function Counter({ progress, result }: ViewProps<number, string>) {
  return <Text>{result ?? `step ${progress ?? 0}`}</Text>;
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

describe('a live view', () => {
  it('draws the last step and ends with the result, which it returns', async () => {
    async function* run() {
      yield 1;
      await new Promise((resolve) => setImmediate(resolve));
      yield 2;
      return 'done';
    }
    const { context, text } = terminal();
    assert.equal(await drawLive(Counter, run(), context), 'done');
    assert.match(text(), /done\s*$/);
  });
  it('has no colour of ours with NO_COLOR', async () => {
    // biome-ignore lint/correctness/useYield: the result is all that is drawn
    async function* run(): AsyncGenerator<number, string, void> {
      return 'x';
    }
    const Painted = ({ result = '', paint }: ViewProps<number, string>) => <Text>{paint('red', result)}</Text>;
    const { context, raw } = terminal();
    await drawLive(Painted, run(), context);
    assert.ok(raw().includes('x') && !raw().includes('\x1b[31m'), JSON.stringify(raw()));
  });
  it('throws what the run throws, and leaves the terminal', async () => {
    // biome-ignore lint/correctness/useYield: it fails before there is progress
    async function* run(): AsyncGenerator<number, string, void> {
      throw new Error('no runtime');
    }
    const { context, text } = terminal();
    await assert.rejects(drawLive(Counter, run(), context), { message: 'no runtime' });
    assert.match(text(), /step 0/);
  });
});
