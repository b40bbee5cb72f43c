import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../../platform/assets.ts';
import { findBoards } from '../../dashboard/boards/find.ts';
import { initial, type Key, press, type WatchState } from '../../dashboard/watch/state.ts';
import { testWorld } from '../testing/world.ts';

/** A workbench whose dashboards take keys but have no data. */
function opened() {
  let watch: WatchState = initial(findBoards(join(packageRoot, 'observability')), 0, undefined);
  const made = testWorld();
  const dashboard = {
    open: () => {},
    press: (key: Key) => {
      watch = press(watch, key).state;
      made.dispatch({ kind: 'dashboard.watch', watch });
    },
  };
  Object.assign(made.world, { dashboard });
  made.dispatch({ kind: 'screen', name: 'dashboard' });
  made.dispatch({ kind: 'dashboard.watch', watch });
  return made;
}

test('draws the dashboards with their keys, and the services of the stack', () => {
  const made = opened();
  const { boards } = made.state().dashboard.watch ?? assert.fail();
  assert.match(made.draw(), new RegExp(`looking for the stack\n.*${boards[0]?.title}`));
  made.keys('d');
  assert.ok(made.draw().includes(boards[1]?.title ?? '?'));
  made.dispatch({
    kind: 'dashboard.services',
    services: [{ name: 'loki', state: 'absent', isHealthy: false }] as never,
  });
  assert.match(made.draw(), /the stack is not running: guardcli dashboard up starts it/);
  made.dispatch({ kind: 'dashboard.problem', problem: 'no compose\u001b[2J' });
  assert.match(made.draw(), /no compose\\x1b\[2J/);
});

test('characters of a filter are text, and Escape ends it', () => {
  const made = opened();
  made.keys('f', 'q', '1');
  assert.deepEqual([made.state().screen, made.ended()], ['dashboard', false]);
  assert.equal(made.state().dashboard.watch?.prompt?.text, 'q1');
  made.keys('escape', '1');
  assert.equal(made.state().screen, 'try');
});
