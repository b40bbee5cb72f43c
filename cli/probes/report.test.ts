import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain } from '../program/paint.ts';
import { createReport, failuresText, type ProbeResult } from './report.ts';

const good: ProbeResult = {
  ...{ id: 'match:a', source: 'match', description: 'a catches its example', ok: true, request: 'GET /a' },
  ...{ expected: 'blocked (block_pattern_match, a, in path)', got: 'status 403, 2 bytes: no', problems: [] },
};
const bad: ProbeResult = { ...good, ok: false, problems: ['status 200'], sent: 'GET /a', repeat: 'curl x' };
const skipped = { id: 'wire', source: 'wire', reason: 'nothing is blocked' } as const;

test('writes counts, counts by source, every result and every skipped probe as JSON', () => {
  const none = { passed: 0, failed: 0, skipped: 0 };
  assert.deepEqual(JSON.parse(JSON.stringify(createReport([good, bad], [skipped], 12))), {
    ok: false,
    counts: { passed: 1, failed: 1, skipped: 1 },
    bySource: {
      specification: none,
      match: { passed: 1, failed: 1, skipped: 0 },
      near_miss: none,
      upgrade: none,
      banned: none,
      wire: { passed: 0, failed: 0, skipped: 1 },
      vector: none,
      browser: none,
    },
    milliseconds: 12,
    results: [good, bad],
    skipped: [skipped],
  });
});

test('shows the command line that repeats a failure, unless it is too long', () => {
  const text = (repeat: string): string => failuresText(createReport([{ ...bad, repeat }], [], 12), plain);
  assert.match(text('curl x'), /^ {2}again {5}curl x$/m);
  assert.match(text('x'.repeat(5000)), /^ {2}again {5}a command line of 5000 bytes; --json has it$/m);
});
