import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reportBounds } from '../counting/bounds.ts';
import { Series, Timeline } from './timeline.ts';

const minuteMs = 60_000;
const start = Date.parse('2026-11-21T00:00:00Z');

describe('a timeline', () => {
  it('has bars of a minute for an hour', () => {
    const [timeline, series] = [new Timeline(), new Series()];
    timeline.add(series, start + 59 * minuteMs, 2);
    timeline.add(series, start, 1);
    assert.equal(timeline.bucketMs, minuteMs);
    assert.deepEqual(timeline.counts(series), [1, ...new Array<number>(58).fill(0), 2]);
    assert.equal(timeline.barStarts()[0], start);
  });
  it('is empty without events', () => assert.deepEqual(new Timeline().counts(new Series()), []));
  it('has few bars for every range, and keeps every event of every series', () => {
    for (const days of [0.5, 1, 7, 30, 365, 3652]) {
      const timeline = new Timeline();
      const [early, both] = [new Series(), new Series()];
      timeline.add(early, start, 7);
      for (let step = 0; step <= 1000; step += 1) timeline.add(both, start + (step / 1000) * days * 1440 * minuteMs, 1);
      const bars = timeline.barStarts().length;
      assert.ok(bars <= reportBounds.buckets, `${days} days: ${bars}`);
      assert.ok(bars > 20, `${days} days: ${bars}`);
      assert.equal(
        timeline.counts(both).reduce((sum, count) => sum + count),
        1001,
      );
      assert.equal(timeline.counts(early)[0], 7);
    }
  });
});
