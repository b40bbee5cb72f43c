import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { duration, liveShow, plainShow, type Screen } from './show.ts';
import type { Task } from './task.ts';

const task = (name: string): Task => ({ name, does: `doing ${name}`, needs: [], run: async () => undefined, fix: '' });
const [one, two] = [task('one'), task('two')];

function screen(columns = 40): { readonly stream: Screen; readonly text: () => string } {
  let text = '';
  const write = (chunk: Buffer, _: string, done: () => void): void => {
    text += chunk;
    done();
  };
  return { stream: Object.assign(new Writable({ write }), { columns }), text: () => text };
}

/** The final content of a terminal, after applying the two control sequences that the code uses. */
function shown(text: string): string[] {
  const lines: string[] = [];
  for (const [, up, rest = ''] of text.matchAll(/(?:\x1b\[(\d+)A\x1b\[J)?([^\x1b]*)/g)) {
    if (up) lines.splice(-Number(up));
    lines.push(...rest.split('\n').slice(0, -1));
  }
  return lines;
}

describe('a duration', () => {
  it('is in seconds below a minute and in minutes from there', () => {
    assert.equal(duration(40), '0.0 s');
    assert.equal(duration(4_249), '4.2 s');
    assert.equal(duration(59_949), '59.9 s');
    assert.equal(duration(59_950), '1 min 00 s');
    assert.equal(duration(245_000), '4 min 05 s');
  });
});

describe('the plain show', () => {
  it('prints a line for each start and end, but none for ready tasks', () => {
    const { stream, text } = screen();
    const show = plainShow(stream);
    show.ended({ task: one, state: 'ready', elapsedMs: 3 });
    show.started(two);
    show.note(two, 'half way');
    show.ended({
      task: two,
      state: 'done',
      elapsedMs: 1200,
      counts: { passed: 2, failed: 0, skipped: [{ name: 'a', reason: 'b' }] },
    });
    show.ended({ task: one, state: 'skipped', elapsedMs: 0, reason: 'no engine' });
    assert.deepEqual(text().split('\n'), [
      'two           doing two',
      'two           done, 2 passed, 0 failed, 1 skipped, 1.2 s',
      'one           skipped, no engine',
      '',
    ]);
  });
});

describe('the live show', () => {
  const live = (t: TestContext, stream: Screen) => {
    const show = liveShow(stream);
    t.after(show.close);
    return show;
  };

  it('keeps running tasks at the bottom and ended ones above', (t) => {
    const { stream, text } = screen();
    const show = live(t, stream);
    show.started(one);
    show.started(two);
    show.announce(one, 'a process was started');
    show.ended({ task: two, state: 'done', elapsedMs: 2000 });
    const [announced, ended, running, ...more] = shown(text());
    assert.equal(announced, 'one           a process was started');
    assert.equal(ended, 'two           done, 2.0 s');
    assert.match(running ?? '', /^one {11}doing one [\d.]+ s$/);
    assert.deepEqual(more, []);
    show.ended({ task: one, state: 'failed', elapsedMs: 61_000, reason: 'boom' });
    assert.deepEqual(shown(text()).slice(-1), ['one           FAILED, boom, 1 min 01 s']);
  });

  it('truncates long lines and escapes control characters in notes', (t) => {
    const { stream, text } = screen(30);
    const show = live(t, stream);
    show.started(one);
    show.note(one, `\x1b[2J${'x'.repeat(100)}`);
    show.started(two);
    const lines = shown(text());
    assert.equal(lines.length, 2);
    assert.ok(lines.every((line) => line.length < 30 && !line.includes('\x1b')));
  });
});
