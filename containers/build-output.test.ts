import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { ExternalError } from '../platform/errors.ts';
import { followBuild } from './build-output.ts';

const follow = async (...events: object[]): Promise<string[]> => {
  const lines: string[] = [];
  await followBuild(Readable.from(events.map((event) => `${JSON.stringify(event)}\r\n`)), (line) => lines.push(line));
  return lines;
};

test('reports the steps of the build line by line', async () => {
  const events = [
    { stream: 'Step 1/2 : FROM scratch\n' },
    { stream: '\n' },
    { aux: { ID: 'x' } },
    { stream: 'a\nb\n' },
  ];
  assert.deepEqual(await follow(...events), ['Step 1/2 : FROM scratch', 'a', 'b']);
});

test('throws an error with the last lines of a failed build', async () => {
  const steps = Array.from({ length: 30 }, (_, index) => ({ stream: `line ${index}\n` }));
  await assert.rejects(
    follow(...steps, { errorDetail: { message: 'no such file' }, error: 'no such file' }),
    (error) => {
      const { output = '' } = (error as ExternalError).failed;
      assert.deepEqual([output.split('\n').length, output.split('\n').at(-1)], [20, 'no such file']);
      return true;
    },
  );
});
