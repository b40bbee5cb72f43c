import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain } from '../../program/paint.ts';
import type { Board, Drawing, Panel } from '../boards/model.ts';
import type { PanelData } from './data.ts';
import { fullFrame, plainFrame } from './frame.ts';
import { lineText } from './line.ts';
import { initialWatch, type WatchState } from './state.ts';

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

const drawings = Object.keys(data) as Drawing[];
const board: Board = { uid: 'x', title: 'Here', rangeMs: 3_600_000, variables: [], panels: drawings.map(panel) };
const state: WatchState = {
  ...initialWatch([board], 0, undefined),
  panels: drawings.map((drawing) => ({ data: data[drawing] })),
  chosen: { gateway: hostile },
  loadedAt: 0,
};

const textOf = (wanted: WatchState, columns: number, rows: number): string[] =>
  fullFrame(wanted, columns, rows).map((line) => lineText(line, plain));

describe('a frame', () => {
  for (const [columns, rows] of [
    [80, 24],
    [300, 80],
    [40, 12],
    [10, 3],
    [1, 1],
  ] as const)
    it(`has exactly ${rows} lines, none wider than ${columns} columns`, () => {
      const lines = fullFrame(state, columns, rows);
      assert.equal(lines.length, rows);
      for (const line of lines)
        assert.equal(
          line.reduce((width, { text }) => width + text.length, 0),
          columns,
        );
    });
  it('holds no control character and nothing else that is not drawn by us', () => {
    const allowed = /^[\x20-\x7e\u2026\u2500\u2580-\u259f\u25a0\u2191\u2193]*$/;
    for (const line of [...textOf(state, 300, 80), ...plainFrame(state, 200).map((one) => lineText(one, plain))])
      assert.match(line, allowed);
    assert.match(textOf(state, 300, 80).join('\n'), /\\x1b\[2J\\x1b\]0;owned\\x07\\u\{202e\}evil/);
  });
  it('can be scrolled to its end and not beyond', () => {
    const all = plainFrame(state, 80).length;
    const [top, bottom] = [0, all * 2].map((scroll) => textOf({ ...state, scroll }, 80, 12));
    assert.match(top?.at(-1) ?? '', /^\u2191\u2193 \d+ more lines .* o browser *$/, 'all keys are on 80 columns');
    assert.doesNotMatch(bottom?.at(-1) ?? '', /more lines/);
    assert.match(bottom?.at(-2) ?? '', /\\x1b/, 'the last log line');
  });
});

describe('the panels of a frame', () => {
  it('show a number only where Loki sent one, in the color of its size', () => {
    const thresholds = [
      { from: Number.NEGATIVE_INFINITY, color: 'text' },
      { from: 1, color: 'red' },
    ];
    const numbers = { ...panel('stat', 0), noDataText: 'no data', thresholds };
    const spanOf = (shown: PanelData) => {
      const of = { ...initialWatch([{ ...board, panels: [numbers] }], 0, undefined), panels: [{ data: shown }] };
      return fullFrame(of, 80, 24)[2]?.find(({ text }) => text.trim() !== '');
    };
    const value = (number: number): PanelData => ({
      kind: 'values',
      rows: [{ name: '', labels: {}, value: number, query: 0 }],
    });
    assert.deepEqual(spanOf({ kind: 'values', rows: [] }), { text: 'no data', style: 'dim' });
    assert.deepEqual(spanOf(value(0)), { text: '0', style: ['bold'] });
    assert.deepEqual(spanOf(value(3052)), { text: '3,052', style: ['bold', 'red'] });
    const line = { ns: '1700000000000000000', labels: {}, line: 'x' };
    assert.equal(spanOf({ kind: 'lines', lines: [line] })?.text, '11-14 22:13:20 UTC');
    assert.equal(spanOf({ kind: 'lines', lines: [] })?.text, 'no data');
  });
  it('have bars in the color of what they count, as heavy as their part of all', () => {
    const list = { ...panel('bars', 0), color: 'red', colors: { caddy: 'blue' } };
    const rows = [
      ['caddy', 70],
      ['x', 29],
      ['y', 1],
    ].map(([name, value]) => ({ name: String(name), labels: {}, value: Number(value), query: 0 }));
    const data: PanelData = { kind: 'values', rows };
    const lines = fullFrame(
      { ...initialWatch([{ ...board, panels: [list] }], 0, undefined), panels: [{ data }] },
      80,
      24,
    );
    const styles = lines.slice(2, 5).map((line) => line.find(({ text }) => /[\u2588-\u258f]/.test(text))?.style);
    assert.deepEqual(styles, [
      ['blue', 'bold'],
      ['red', 'bold'],
      ['red', 'dim'],
    ]);
  });
  it('keep their data beside an error, below the note of a lost connection', () => {
    const panels = state.panels.map((one) => ({ ...one, error: 'no\x1b such label' }));
    const lost = { reason: 'Loki does not respond', since: 0 };
    const text = textOf({ ...state, panels, lost }, 120, 60).join('\n');
    assert.match(text, /^.* 1\/\d+ {2}last .*Loki does not respond \(since 00:00:00, retrying\)/);
    assert.match(text, /no\\x1b such label\s+1,234,567/);
  });
  it('load while Loki responds, and have no data while it does not', () => {
    const empty = initialWatch([board], 0, undefined);
    assert.match(textOf(empty, 120, 60).join('\n'), / loading\n.*\nloading/s);
    const text = textOf({ ...empty, lost: { reason: 'Loki does not respond', since: 0 } }, 120, 60).join('\n');
    assert.doesNotMatch(text, /loading/);
    assert.match(text, /\nno data since 00:00:00\b/);
  });
});
