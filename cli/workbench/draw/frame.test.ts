import assert from 'node:assert/strict';
import { test } from 'node:test';
import { press } from '../keys/handle.ts';
import { screens } from '../screens.ts';
import { screenNames } from '../state.ts';
import { testWorld } from '../testing/world.ts';

const sizes = [
  [60, 14],
  [80, 23],
  [140, 39],
  [300, 79],
] as const;

test('every screen fits every terminal, with the key help in the last line', () => {
  for (const name of screenNames)
    for (const [columns, rows] of sizes) {
      const { dispatch, draw } = testWorld();
      dispatch({ kind: 'screen', name });
      const lines = draw(columns, rows).split('\n');
      assert.equal(lines.length, rows, `${name} ${columns}x${rows}`);
      assert.ok(
        lines.every((line) => line.length <= columns),
        name,
      );
      assert.match(lines.at(-1) ?? '', /\^C quit|q quit/);
      assert.match(lines.at(-2) ?? '', /^\$ (guardcli|curl) /);
    }
});

test('the key help has as many keys as fit, and cuts none', () => {
  for (const name of screenNames)
    for (let columns = 60; columns <= 140; columns += 1) {
      const { dispatch, draw } = testWorld();
      dispatch({ kind: 'screen', name });
      assert.doesNotMatch(draw(columns, 14), /…$/, `${name} ${columns}`);
    }
});

test('says what a small terminal lacks', () => {
  const text = testWorld().draw(20, 9);
  assert.match(text.replaceAll('\n', ' '), /needs 60 columns and 15 lines; this terminal has 20 and 10/);
  assert.ok(text.split('\n').length <= 9 && text.split('\n').every((line) => line.length <= 20));
});

test('typed characters are text until Escape, and commands afterwards', () => {
  const made = testWorld();
  made.keys('q', '2', ':');
  assert.equal(made.state().screen, 'try');
  assert.match(made.draw(), /\.envq2:/);
  made.keys('escape', '2');
  assert.equal(made.state().screen, 'policy');
  made.keys('q');
  assert.equal(made.ended(), true);
});

test('quits with Ctrl-C also while typing and in the palette', () => {
  for (const keys of [['ctrl-c'], ['ctrl-p', 'ctrl-c']]) {
    const made = testWorld();
    made.keys(...keys);
    assert.equal(made.ended(), true);
  }
});

test('the palette finds commands by words and runs the selected one', () => {
  const made = testWorld();
  made.keys('ctrl-p');
  made.type('go pol');
  assert.match(made.draw(), /: go pol[\s\S]* go to Policy/);
  assert.doesNotMatch(made.draw(), / next field {5}/);
  made.keys('enter');
  assert.equal(made.state().screen, 'policy');
  assert.equal(made.state().palette, undefined);
  made.keys(':', 'escape');
  assert.equal(made.state().palette, undefined);
  made.keys(':', 'x', 'x', 'x', 'enter');
  assert.equal(made.state().screen, 'policy');
});

test('the palette shows the selected command, and moves from the last one at the next key', () => {
  const made = testWorld();
  made.dispatch({ kind: 'screen', name: 'policy' });
  made.keys('ctrl-p', ...Array(40).fill('down'));
  assert.match(made.draw(60, 16), / go to Blocked/);
  made.keys('up', 'enter');
  assert.equal(made.state().screen, 'daemon');
});

test('a paste is text, never commands', () => {
  const made = testWorld();
  const paste = (text: string) => press(made.world, { name: 'paste', text, isPaste: true });
  paste('/a q');
  assert.match(made.state().try.fields.path.text, /\/a q$/);
  made.keys('escape');
  paste('2q');
  assert.deepEqual([made.state().screen, made.ended()], ['try', false]);
  made.keys('ctrl-p');
  paste('quit');
  assert.match(made.draw(), /: quit/);
});

test('copies the command line', () => {
  const made = testWorld();
  made.keys('ctrl-y');
  assert.deepEqual(made.copied, ['guardcli test /static/..%252f.env']);
  assert.match(made.draw(), /on the clipboard/);
  assert.match(made.draw(), /\n\$ guardcli test .*\n.*Esc stop typing/);
});

test('no key runs two commands of one screen at a time', () => {
  const made = testWorld();
  for (const { commands, name } of screens)
    for (const isTyping of [false, true]) {
      made.dispatch({ kind: 'try.focus', focus: isTyping ? 'path' : undefined });
      made.dispatch({ kind: 'policy.searching', isSearching: isTyping });
      for (const kind of ['sandbox.filtering', 'daemon.filtering'] as const)
        made.dispatch({ kind, isFiltering: isTyping });
      const applying = commands.filter(({ when }) => when?.(made.state()) ?? true);
      const keys = applying.flatMap((command) => command.keys);
      assert.deepEqual(keys, [...new Set(keys)], name);
    }
});
