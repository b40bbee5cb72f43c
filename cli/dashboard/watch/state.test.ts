import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { findBoards } from '../boards/find.ts';
import type { Board } from '../boards/model.ts';
import { shippedFolder } from '../stack/files.ts';
import { keptLines } from './data.ts';
import { initialWatch, type Key, pressKeys, type WatchState, withLines } from './state.ts';

const variable = (name: string) => ({ name, initial: '.*', isPattern: false });
const board = (uid: string): Board => ({
  ...{ uid, title: uid, rangeMs: 3_600_000, variables: ['gateway', 'service', 'address'].map(variable) },
  panels: [],
});
const start: WatchState = { ...initialWatch([board('a'), board('b')], 0, undefined), loadedAt: 1, scroll: 3 };

const key = (text: string): Key => (text.length === 1 ? { text } : ({ text: '', name: text } as Key));
const pressed = (state: WatchState, ...keys: readonly string[]): WatchState =>
  keys.reduce((last, one) => pressKeys(last, key(one)).state, state);

describe('keys', () => {
  it('choose the next and the previous dashboard, whose data is loaded', () => {
    const { shown, loadedAt, scroll } = pressed(start, 'd');
    assert.deepEqual({ shown, loadedAt, scroll }, { shown: 1, loadedAt: undefined, scroll: 0 });
    assert.deepEqual([pressed(start, 'd', 'd').shown, pressed(start, 'D').shown], [0, 1]);
  });
  it('choose a longer and a shorter range, up to the last one', () => {
    assert.equal(pressed(start, 'r').rangeMs, 6 * 3_600_000);
    assert.equal(pressed(start, 'R').rangeMs, 900_000);
    assert.equal(pressed(start, ...'R'.repeat(9)).rangeMs, 300_000);
    assert.equal(pressed(start, ...'r'.repeat(9)).rangeMs, 30 * 86_400_000);
  });
  it('type a filter, which is applied with Enter', () => {
    const typing = pressed(start, 'a', ...'192.0.2.12', 'backspace');
    assert.deepEqual(typing.chosen, {});
    assert.deepEqual(pressed(typing, 'enter').chosen, { address: '192.0.2.1' });
    assert.deepEqual(pressed(typing, 'escape').chosen, {});
    assert.deepEqual(pressed(typing, 'enter', 'c').chosen, {});
    assert.deepEqual(pressed(start, 'f', 'tab', ...'ssh', 'enter').chosen, { service: 'ssh' });
  });
  it('filter first by what the dashboard is about', () => {
    const boards = findBoards(shippedFolder);
    const first = boards.map((one, shown): [string, string | undefined] => {
      const { prompt } = pressed(initialWatch(boards, shown, undefined), 'f');
      return [one.uid, one.variables[prompt?.variable ?? -1]?.name];
    });
    assert.equal(new Map(first).get('guard-address'), 'address');
    assert.equal(new Map(first).get('guard-overview'), 'gateway');
  });
  it('remove a filter by an empty text', () => {
    assert.deepEqual(pressed({ ...start, chosen: { gateway: 'x' } }, 'g', 'backspace', 'enter').chosen, {});
  });
  it('type q into a filter, and leave with it otherwise', () => {
    assert.equal(pressKeys(pressed(start, 'g'), key('q')).effect, undefined);
    assert.equal(pressKeys(start, key('q')).effect, 'quit');
    assert.equal(pressKeys(pressed(start, 'g'), { text: 'c', isCtrl: true }).effect, 'quit');
  });
  it('may arrive together', () => {
    assert.deepEqual(pressed(start, 'd').shown, pressKeys(start, { text: 'ddd' }).state.shown);
    assert.equal(pressKeys(start, { text: 'dq' }).effect, 'quit');
    assert.equal(pressKeys(start, { text: 'gcaddy' }).state.prompt?.text, 'caddy');
  });
  it('cannot paste control characters or a filter without end', () => {
    const { prompt } = pressed(start, 'g');
    const { state } = pressKeys({ ...start, ...(prompt && { prompt }) }, { text: `\x1b[2J${'x'.repeat(10_000)}` });
    assert.match(state.prompt?.text ?? '', /^\[2Jx{197}$/);
  });
});

describe('log lines', () => {
  const line = (at: number) => ({ ns: String(1_000_000_000 + at), labels: {}, line: String(at) });
  it('are kept once, the newest first, and not without end', () => {
    const one = { ...board('a'), panels: [{ drawing: 'logs' }] } as unknown as Board;
    const all = Array.from({ length: keptLines + 10 }, (_, at) => line(at));
    const state = [all, all.slice(-20)].reduce((last, some) => withLines(last, 0, some), initialWatch([one], 0, 1));
    const data = state.panels[0]?.data;
    assert.ok(data?.kind === 'lines');
    assert.equal(data.lines.length, keptLines);
    assert.deepEqual([data.lines[0]?.line, data.lines[1]?.line], [`${keptLines + 9}`, `${keptLines + 8}`]);
  });
});
