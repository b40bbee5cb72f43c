import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { coloredPaint, type Paint, plain } from '../program/paint.ts';
import type { Board, Drawing, Panel } from './boards/model.ts';
import type { PanelData } from './data.ts';
import { barLines } from './lists.ts';
import type { LoadedBoard } from './load.ts';
import { frameText } from './view.tsx';

const hostile = `\x1b[2J\x1b]0;owned\x07\u202eevil\u{1f600}\ud800\n\t\x9b${'x'.repeat(1024 * 1024)}`;
const labels = { client_ip: hostile, gateway: hostile, path: hostile, [hostile]: hostile, action: hostile };

const data: Readonly<Record<Drawing, PanelData>> = {
  stat: { kind: 'values', rows: [{ name: hostile, labels, value: 1234567, query: 0 }] },
  bars: { kind: 'values', rows: [1, 5, 9].map((value) => ({ name: hostile, labels, value, query: 0 })) },
  table: { kind: 'values', rows: [1, 5, 9].map((value) => ({ name: hostile, labels, value, query: value })) },
  time: {
    kind: 'time',
    times: Array.from({ length: 50 }, (_, index) => index * 60_000),
    series: [{ name: hostile, labels, values: Array.from({ length: 50 }, (_, index) => index) }],
  },
  logs: {
    kind: 'lines',
    lines: [
      { ns: '1700000000000000000', labels, line: `{${hostile}` },
      { ns: '1700000000000000001', labels: {}, line: hostile },
    ],
  },
};

const panel = (drawing: Drawing, y: number): Panel => ({
  ...{ id: 0, title: drawing, drawing, queries: [], unit: 'short', calculation: 'sum', place: { x: 0, y, width: 24 } },
  columns: { names: {}, hidden: new Set(), order: {} },
  ...{ isSumOnly: false, noDataText: 'no events', color: '', colors: {}, thresholds: [] },
});

const loaded = (panels: readonly Panel[], states: LoadedBoard['panels']): LoadedBoard => {
  const board: Board = { uid: 'x', title: 'Here', rangeMs: 3_600_000, variables: [], panels };
  return { board, rangeMs: board.rangeMs, now: 0, panels: states };
};
const drawings = Object.keys(data) as Drawing[];
const all = loaded(
  drawings.map(panel),
  drawings.map((drawing) => ({ data: data[drawing] })),
);

const value = (number: number): PanelData => ({
  kind: 'values',
  rows: [{ name: '', labels: {}, value: number, query: 0 }],
});

describe('a frame', () => {
  for (const columns of [300, 80, 40, 10])
    it(`has no line that is wider than ${columns} columns, and no character that it does not draw`, () => {
      for (const line of frameText(all, columns, plain).split('\n')) {
        assert.ok(line.length <= columns, line);
        assert.match(line, /^[\x20-\x7e\u2026\u2500\u2580-\u259f\u25a0]*$/);
      }
    });
  it('names the dashboard, its range and its time', () => {
    const text = frameText(all, 80, plain);
    assert.match(text, /^Here {2}last 1h {2}00:00:00 UTC\n\u2500 stat \u2500+\n1,234,567\n/);
    for (const drawing of drawings) assert.match(text, new RegExp(`^\u2500 ${drawing} \u2500{60,}$`, 'm'));
  });
  it('has as many numbers beside each other as fit', () => {
    const numbers = [0, 1, 2, 3, 4].map((x) => ({ ...panel('stat', 0), title: `n${x}` }));
    const shown = loaded(
      numbers,
      numbers.map((_, index) => ({ data: value(index) })),
    );
    const [, first, second, third] = frameText(shown, 80, plain).split('\n');
    assert.match(`${first}\n${second}`, /^\u2500 n0 \u2500+ +\u2500 n1 .* n3 \u2500+\n0 +1 +2 +3$/);
    assert.match(third ?? '', /^\u2500 n4 \u2500{70}/);
  });
  it('says in a panel why its query failed', () => {
    const shown = loaded([panel('bars', 0)], [{ error: 'no\x1b such label' }]);
    assert.match(frameText(shown, 80, plain), /bars \u2500+\nno\\x1b such label$/);
  });
});

describe('a panel', () => {
  it('shows a number only where Loki sent one, in the color of its size', () => {
    const thresholds = [
      { from: Number.NEGATIVE_INFINITY, color: 'text' },
      { from: 1, color: 'red' },
    ];
    const numbers = { ...panel('stat', 0), noDataText: 'no data', thresholds };
    const drawn = (shown: PanelData) =>
      frameText(loaded([numbers], [{ data: shown }]), 80, coloredPaint).split('\n')[2];
    assert.equal(drawn({ kind: 'values', rows: [] }), '\x1b[2mno data\x1b[22m');
    assert.equal(drawn(value(0)), '\x1b[1m0\x1b[22m');
    assert.match(drawn(value(3052)) ?? '', /\x1b\[31m3,052/);
    const line = { ns: '1700000000000000000', labels: {}, line: 'x' };
    assert.match(drawn({ kind: 'lines', lines: [line] }) ?? '', /11-14 22:13:20 UTC/);
  });
  it('has bars in the color of what they count, as heavy as their part of all', () => {
    const rows = [
      ['caddy', 70],
      ['x', 29],
      ['y', 1],
    ].map(([name, number]) => ({ name: String(name), labels: {}, value: Number(number), query: 0 }));
    const area = { ...panel('bars', 0), color: 'red', colors: { caddy: 'blue' }, width: 80, height: 12 };
    const paint: Paint = (style, text) => `<${style}>${text}`;
    assert.deepEqual(
      barLines(rows, { ...area, paint }).map((line) => /<([\w,]+)>[^<]*$/.exec(line)?.[1]),
      ['blue,bold', 'red,bold', 'red,dim'],
    );
  });
});
