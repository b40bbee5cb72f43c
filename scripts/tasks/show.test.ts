import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { it, mock } from 'node:test';
import { createShow, durationText, nextSignMs } from './show.ts';
import type { Task } from './task.ts';

const task = (name: string): Task => ({ name, does: `doing ${name}`, run: async () => {}, fix: '' });
const [one, two] = [task('one'), task('two')];

/**
 * Creates a display. Returns it with `lines`, the lines on its screen. Interprets the control sequences that it uses.
 */
function show(isTTY: boolean) {
  const lines: string[] = [];
  const write = (chunk: Buffer, _: string, done: () => void): void => {
    const [, up = 0, text = ''] = /^(?:\x1b\[(\d+)A\x1b\[J)?([^\x1b]*)$/.exec(`${chunk}`) ?? assert.fail(`${chunk}`);
    if (up) lines.splice(-Number(up));
    lines.push(...text.split('\n').slice(0, -1));
    done();
  };
  return { ...createShow(Object.assign(new Writable({ write }), { columns: 40, isTTY })), lines };
}

it('a duration is in seconds below a minute and in minutes from there', () => {
  assert.deepEqual([40, 59_949, 59_950, 245_000].map(durationText), ['0.0 s', '59.9 s', '1 min 00 s', '4 min 05 s']);
});

it('prints a line for each start and end, but none for tasks that were done', () => {
  const { started, note, ended, lines } = show(false);
  ended({ task: one, state: 'done' });
  started(two);
  note(two, 'half way');
  const counts = { passed: 2, failed: 0, skipped: [{ name: 'a', reason: 'b' }] };
  ended({ task: two, state: 'done', elapsedMs: 1200, counts });
  ended({ task: one, state: 'unavailable', reason: 'no engine' });
  assert.deepEqual(lines, [
    'two           doing two',
    'two           done, 2 passed, 0 failed, 1 skipped, 1.2 s',
    'one           skipped, no engine',
  ]);
});

it('keeps running tasks at the bottom of a terminal, with the last line of their output without controls', () => {
  const { started, note, announce, ended, lines } = show(true);
  started(one);
  started(two);
  note(one, `first\n\x1b[2Jlast ${'x'.repeat(100)}\n`);
  announce(one, 'a process was started');
  ended({ task: two, state: 'failed', elapsedMs: 61_000, reason: 'boom' });
  assert.deepEqual(lines.slice(0, 2), [
    'one           a process was started',
    'two           FAILED, boom, 1 min 01 s',
  ]);
  assert.match(lines[2] ?? '', /^one {11}doing one [\d.]+ s {2}last x+$/);
  assert.equal(lines[2]?.length, 39);
  assert.equal(lines.length, 3);
});

it('prints a sign of life of a task that lasts, in a pipe, with longer pauses each time', () => {
  let now = 0;
  mock.timers.enable({ apis: ['setInterval'] });
  mock.method(performance, 'now', () => now);
  const { started, note, lines } = show(false);
  started(one);
  note(one, 'first\nlast\n');
  for (; now < 22_000; now += 1000) mock.timers.tick(1000);
  mock.reset();
  assert.deepEqual(lines, [
    'one           doing one',
    ...['5.0 s', '10.0 s', '15.0 s', '20.0 s'].map((time) => `one           doing one ${time}  last`.slice(0, 39)),
  ]);
  assert.deepEqual([5000, 60_000, 240_000].map(nextSignMs), [10_000, 75_000, 300_000]);
});
