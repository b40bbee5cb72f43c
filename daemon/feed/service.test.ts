import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { configuration, temporaryFolder, testFile } from '../testing/daemon.ts';
import { pollDecisions } from './service.ts';
import { decision } from './testing/fake-lapi.ts';

const chunks = 50;

/** A response whose chunks have all arrived before the first one is read. */
function arrived(): Response {
  const text = JSON.stringify({
    new: Array.from({ length: 1000 }, (_, index) => decision(`10.0.${index >> 8}.${index & 255}`)),
    deleted: [],
  });
  const size = Math.ceil(text.length / chunks);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let at = 0; at < text.length; at += size) controller.enqueue(Buffer.from(text.slice(at, at + size)));
      controller.close();
    },
  });
  return new Response(body);
}

test('connections are served between two chunks of a response that has arrived completely', async (t) => {
  t.mock.method(globalThis, 'fetch', async () => arrived());
  const { threatfeed } = configuration(testFile(temporaryFolder(), {}));
  const { signal } = new AbortController();
  let isDone = false;
  const polling = pollDecisions({ threatfeed, isStartup: true, now: () => 0, signal }).finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) await turn();
  const { fresh } = await polling;
  assert.equal(fresh.size, 1000);
  assert.ok(turns >= chunks, `${turns} turns`);
});
