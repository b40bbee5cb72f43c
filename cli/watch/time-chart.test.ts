import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain } from '../program/paint.ts';
import { gridOf, stepFor } from './data.ts';
import { drawTimeChart, type TimeChart } from './time-chart.ts';

const times = [0, 1, 2, 3].map((minute) => minute * 60_000);
const series = (name: string, values: readonly number[]) => ({ name, labels: {}, values });
const chart: TimeChart = {
  ...{ times, series: [], unit: 'short', noDataText: 'no events', colors: {}, width: 10, height: 6, paint: plain },
};
const text = (changes: Partial<TimeChart>): string[] =>
  drawTimeChart({ ...chart, ...changes }).map((line) => line.trimEnd());

describe('a chart over time', () => {
  const both = [series('b', [0, 1, 2, 6]), series('a', [0, 1, 2, 2])];
  it('has columns as high as the values of all series together', () => {
    assert.deepEqual(text({ series: both, width: 22 }), [
      `8 ${' '.repeat(15)}${'\u2588'.repeat(5)}`,
      `  ${' '.repeat(15)}${'\u2588'.repeat(5)}`,
      `  ${' '.repeat(10)}${'\u2588'.repeat(10)}`,
      `0 ${' '.repeat(5)}${'\u2588'.repeat(15)}`,
      '  00:00  00:01   00:03',
      '\u25a0 b 9  \u25a0 a 5',
    ]);
  });
  /** Colors of the last columns of the first lines. */
  const colorsOf = (lines: number, colors = {}): (string | undefined)[] =>
    drawTimeChart({ ...chart, series: both, colors, paint: (style, text) => `<${style}>${text}` })
      .slice(0, lines)
      .map((line) => /<(\w+)>[^<]*$/.exec(line)?.[1]);
  it('has the color of the series that is at this height', () => {
    assert.deepEqual(colorsOf(4), ['yellow', 'cyan', 'cyan', 'cyan']);
  });
  it('has the colors that the dashboard gives to names', () => {
    assert.deepEqual(colorsOf(2, { a: 'red', b: 'purple', c: 'green' }), ['red', 'magenta']);
  });
  it('shows the highest of the values that share a column', () => {
    const many = Array.from({ length: 1000 }, (_, index) => index);
    const spike = series(
      'a',
      many.map((index) => (index === 501 ? 5 : 0)),
    );
    const lines = text({ times: many, series: [spike], width: 12 });
    assert.equal(lines[0], '5      \u2588');
  });
  it('is a note without events, and a line of nothing where all values are 0', () => {
    assert.deepEqual(text({}), ['no events']);
    assert.deepEqual(text({ series: [series('a', [0, 0, 0, 0])] })[0], '0');
  });
});

describe('the samples of a range', () => {
  it('have a step of a round length, and are few enough', () => {
    assert.deepEqual(
      [stepFor(3_600_000, 100), stepFor(86_400_000, 100), stepFor(60_000, 240)],
      [60_000, 900_000, 1000],
    );
  });
  it('are at multiples of the step, and cover the range', () => {
    const grid = gridOf({ now: 1_000_500, rangeMs: 60_000, variables: [], chosen: {} }, 30_000);
    assert.deepEqual(grid, [960_000, 990_000, 1_020_000]);
  });
});
