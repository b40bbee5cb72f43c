import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { expireNotices } from '../notices.ts';
import { screenOf } from '../screens.ts';
import { screenNames } from '../state.ts';
import { testWorld } from '../testing/world.ts';
import { common } from './common.ts';
import { keysText, keyText } from './key-names.ts';

function opened(name: (typeof screenNames)[number], width = 80) {
  const made = testWorld({}, { area: () => ({ width, height: 19, hasScreenReader: false }) });
  made.keys('escape');
  made.dispatch({ kind: 'screen', name });
  return made;
}

const footer = (text: string): string => text.split('\n').at(-1) ?? '';

for (const name of screenNames)
  for (const width of [80, 140])
    test(`? lists every key of the screen ${name} at ${width} columns`, () => {
      const made = opened(name, width);
      made.keys('?');
      let text = made.draw(width);
      for (let page = 0; page < 10; page += 1) {
        made.keys('page-down');
        text += made.draw(width);
      }
      for (const command of [...screenOf(name).commands, ...common].filter(({ keys }) => keys.length > 0)) {
        const isRow = (line: string) => line.includes(` ${keysText(command.keys)} `) && line.includes(command.name);
        assert.ok(text.split('\n').some(isRow), command.name);
      }
      made.keys('?');
      assert.equal(made.state().help, undefined);
    });

test('scrolls the list of keys to its last line and not beyond', () => {
  const made = opened('blocked');
  made.keys('?', ...Array(20).fill('page-down'));
  const end = made.state().help ?? 0;
  assert.match(made.draw(), / go to Blocked\n/);
  made.keys('page-up');
  assert.equal(made.state().help, Math.max(0, end - 5));
});

test('? is text while the user types, and Ctrl-G lists the keys', () => {
  const made = testWorld();
  made.keys('?');
  assert.match(made.state().try.fields.path.text, /\?$/);
  made.keys('ctrl-g');
  assert.match(made.draw(), /Keys of Try/);
});

test('every key has one form in the palette', () => {
  for (const name of screenNames) {
    const made = opened(name);
    made.keys(':');
    assert.doesNotMatch(made.draw(80, 60), /ctrl-|alt-|page-|shift-|\b(?:up|down|left|right|escape)$/m);
  }
  assert.deepEqual(['ctrl-p', 'alt-1', 'page-up', 'x', 'S'].map(keyText), ['^P', 'Alt-1', 'PgUp', 'x', 'S']);
});

test('the footer has the keys of the mode', () => {
  const made = testWorld();
  assert.match(footer(made.draw()), /^Esc stop typing {2}\^G keys {2}\^P commands {2}\^C quit/);
  made.keys('escape');
  assert.match(footer(made.draw()), /^i edit {2}\? keys {2}: commands {2}q quit/);
  made.keys(':');
  assert.match(footer(made.draw()), /^Enter run {2}↓ next {2}↑ previous {2}Esc close$/);
  made.keys('escape', '?');
  assert.match(footer(made.draw()), /^\? close {2}↓ scroll$/);
  made.keys('?', '3', '/');
  assert.match(footer(made.draw()), / Esc clear the filter /);
});

test('says that a key has no effect, and where the keys are', () => {
  const made = opened('daemon');
  made.keys('Z');
  assert.match(made.draw(), /\nthe key "Z" has no effect here; \? lists the keys\n/);
});

test('a message expires, and a later one gets its full time', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const made = opened('daemon');
  const stop = expireNotices(made.world.store);
  const notice = (text: string) => made.dispatch({ kind: 'notice', notice: { isError: false, text } });
  const notified = () => mock.timers.tick(100); // the store waits for the next frame
  notice('first');
  notified();
  mock.timers.tick(7000);
  notice('second');
  notified();
  mock.timers.tick(7000);
  assert.equal(made.state().notice?.text, 'second');
  mock.timers.tick(2000);
  assert.equal(made.state().notice, undefined);
  stop();
  mock.timers.reset();
});
