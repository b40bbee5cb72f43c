import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lokiBounds } from './bounds.ts';
import type { Loki, Range } from './client.ts';
import { pagesOf } from './pages.ts';
import { type LogLine, Newest } from './result.ts';

const span = { start: 1_000_000, end: 1_010_000 };
/** No reading of this span needs more requests. */
const mostRequests = 50;

/** A server that returns a full page of new lines to each request, all of one time. */
function liar(timeOf: (range: Range) => string): Loki {
  let requests = 0;
  const queryRange = async (_: string, range: Range) => {
    requests += 1;
    assert.ok(requests <= mostRequests, 'the reading does not end');
    const ns = timeOf(range);
    const lines = Array.from({ length: lokiBounds.lines }, (_, index) => ({
      ns,
      labels: {},
      line: `${requests} ${index}`,
    }));
    return { kind: 'lines', lines, isCut: true } as const;
  };
  return { address: 'http://x', queryRange } as unknown as Loki;
}

async function read(loki: Loki): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for await (const page of pagesOf(loki, '{}', span)) lines.push(...page);
  return lines;
}

for (const [name, time] of [
  ['at the start of the range', '1000000000000'],
  ['within the range', '1000001000000'],
] as const)
  test(`ends for a server that always returns more lines ${name}`, async () => {
    await assert.rejects(read(liar(() => time)), { code: 'loki_too_dense' });
  });

test('omits lines outside of the requested range', async () => {
  assert.deepEqual(await read(liar(() => '1000')), []);
  assert.deepEqual(await read(liar(({ end }) => String(end))), []);
});

test('remembers a bounded number of lines of the newest time', () => {
  const newest = new Newest();
  const line = (number: number): LogLine => ({ ns: '1000000', labels: {}, line: String(number) });
  for (let number = 0; number <= lokiBounds.lines; number++) newest.add([line(number)]);
  assert.deepEqual(newest.add([line(lokiBounds.lines)]), []);
  assert.equal(newest.add([line(0)]).length, 1);
});
