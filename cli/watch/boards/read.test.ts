import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { scratch } from '../../testing/scratch.ts';
import { chooseBoard, findBoards } from './find.ts';
import { boardBounds } from './model.ts';
import { readBoard } from './read.ts';

const stat = (changes: object = {}) => ({
  ...{ id: 1, type: 'stat', title: 'Blocked', gridPos: { x: 0, y: 0, w: 6, h: 4 } },
  targets: [{ expr: 'sum(x)', queryType: 'instant' }],
  ...changes,
});
const json = (changes: object = {}): string =>
  JSON.stringify({ uid: 'one', title: 'One', time: { from: 'now-6h' }, panels: [stat()], ...changes });

describe('a dashboard', () => {
  it('has its range, and its panels from the top left', () => {
    const below = stat({ title: 'Below', gridPos: { x: 0, y: 4, w: 6, h: 4 } });
    const row = { type: 'row', panels: [stat({ title: 'Right', gridPos: { x: 6, y: 0, w: 6, h: 4 } })] };
    const board = readBoard(json({ panels: [below, row, stat()] }));
    assert.equal(board?.rangeMs, 6 * 3_600_000);
    assert.deepEqual(
      board?.panels.map(({ title }) => title),
      ['Blocked', 'Right', 'Below'],
    );
  });
  it('has no panel without a query, of an unknown kind or that is hidden', () => {
    const panels = [
      stat({ type: 'text' }),
      stat({ targets: [] }),
      stat({ targets: [{ expr: 'x', hide: true }] }),
      stat({ title: 'Shown' }),
    ];
    assert.deepEqual(
      readBoard(json({ panels }))?.panels.map(({ title }) => title),
      ['Shown'],
    );
  });
  it('is bounded', () => {
    const panels = Array.from({ length: 5000 }, () => stat({ title: 'x'.repeat(100_000) }).title && stat());
    assert.equal(readBoard(json({ panels }))?.panels.length, boardBounds.panels);
  });
  for (const [name, text] of [
    ['not JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['without panels', json({ panels: 7 })],
    ['with a uid that is not one', json({ uid: '../../x' })],
    ['with members of other types', json({ panels: [null, 1, { type: 'stat', targets: [null, { expr: 7 }] }] })],
  ] as const)
    it(`that is ${name} is not read`, () => assert.equal(readBoard(text), undefined));
});

describe('a panel', () => {
  it('has the colors, the total and the words of its fields', () => {
    const steps = [
      { value: 1, color: 'red' },
      { value: null, color: 'text' },
    ];
    const defaults = { noValue: 'no data', color: { mode: 'thresholds' }, thresholds: { mode: 'absolute', steps } };
    const overrides = [
      { matcher: { id: 'byName', options: 'caddy' }, properties: [{ id: 'color', value: { fixedColor: 'blue' } }] },
      { matcher: { id: 'byRegexp', options: 'x' }, properties: [{ id: 'color', value: { fixedColor: 'red' } }] },
      null,
    ];
    const panels = [stat({ fieldConfig: { defaults, overrides }, transformations: [{ id: 'reduce' }] }), stat()];
    const [first, second] = readBoard(json({ panels }))?.panels ?? [];
    assert.deepEqual(first?.thresholds, [
      { from: Number.NEGATIVE_INFINITY, color: 'text' },
      { from: 1, color: 'red' },
    ]);
    assert.deepEqual([first?.colors, first?.isSumOnly, first?.noDataText], [{ caddy: 'blue' }, true, 'no data']);
    assert.deepEqual([second?.thresholds, second?.isSumOnly, second?.noDataText], [[], false, 'no events']);
  });
  it('has the number of log lines that a query wants', () => {
    const targets = [1, 0, -1, 1.5, '7'].map((maxLines) => ({ expr: 'x', maxLines }));
    const [panel] = readBoard(json({ panels: [stat({ targets })] }))?.panels ?? [];
    assert.deepEqual(
      panel?.queries.map(({ lines }) => lines),
      [1, undefined, undefined, undefined, undefined],
    );
  });
});

describe('the dashboards', () => {
  it('are the shipped ones, of which the overview is the first and every panel is drawn', () => {
    const boards = findBoards('/nonexistent');
    assert.deepEqual(
      boards.map(({ uid }) => uid),
      ['guard-overview', 'guard-address', 'guard-layer4', 'guard-live', 'guard-world'],
    );
    assert.equal(boards[0]?.panels.length, 13);
  });
  it('are those of the folder of the stack, where it has some', () => {
    const folder = scratch();
    mkdirSync(join(folder, 'grafana/dashboards'), { recursive: true });
    writeFileSync(join(folder, 'grafana/dashboards/mine.json'), json());
    const boards = findBoards(folder);
    assert.deepEqual([boards.length, boards[0]?.uid], [1, 'one']);
    assert.throws(() => chooseBoard(boards, 'two'), { code: 'no_such_dashboard', hint: 'choose one of one' });
  });
});
