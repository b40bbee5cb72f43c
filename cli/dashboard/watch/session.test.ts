import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../../platform/assets.ts';
import { findBoards } from '../boards/find.ts';
import { Session } from './session.ts';
import { initialWatch } from './state.ts';

test('the dashboard scrolls to its last line and not beyond, so that one key scrolls back', () => {
  const boards = findBoards(join(packageRoot, 'observability'));
  const session = new Session(initialWatch(boards, 0, undefined), {
    ...{ loki: 'http://127.0.0.1:1', now: Date.now, columns: () => 80, open: async () => '' },
  });
  const size = { columns: 80, rows: 12 };
  const scrollAfter = (name: 'up' | 'pageDown', count: number, rows = size.rows) => {
    for (let pressed = 0; pressed < count; pressed += 1) session.press({ text: '', name }, { ...size, rows });
    return session.state.scroll;
  };
  const end = scrollAfter('pageDown', 100);
  assert.ok(end > 0 && end < 1000, String(end));
  assert.equal(scrollAfter('pageDown', 1), end);
  assert.equal(scrollAfter('up', 1), end - 1);
  scrollAfter('pageDown', 1);
  assert.equal(scrollAfter('up', 1, size.rows + 3), end - 3 - 1, 'the terminal has become higher');
});
