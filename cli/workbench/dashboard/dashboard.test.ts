import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../../platform/assets.ts';
import { until } from '../../../platform/until.ts';
import { findBoards } from '../../dashboard/boards/find.ts';
import { initialWatch, type Key, pressKeys, type WatchState } from '../../dashboard/watch/state.ts';
import type { Context } from '../../program/context.ts';
import { scratch } from '../../testing/scratch.ts';
import { testWorld } from '../testing/world.ts';
import { DashboardLink } from './link.ts';

/** Opens a workbench whose dashboards receive keys but have no data. */
function opened() {
  let watch: WatchState = initialWatch(findBoards(join(packageRoot, 'observability')), 0, undefined);
  const made = testWorld();
  const dashboard = {
    open: () => {},
    change: async () => {},
    press: (key: Key) => {
      watch = pressKeys(watch, key).state;
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
  assert.match(made.draw(), /s starts the stack, which is not running; S starts it without Grafana/);
  made.dispatch({ kind: 'dashboard.problem', problem: 'no compose\u001b[2J' });
  assert.match(made.draw(), /no compose\\x1b\[2J/);
});

test('has the keys of dashboard watch, except those that start and stop the stack', () => {
  const made = opened();
  const watch = () => made.state().dashboard.watch ?? assert.fail();
  made.keys('tab');
  assert.equal(watch().shown, 1);
  made.keys('j', 'j', 'k');
  assert.equal(watch().scroll, 1);
  const { variables } = watch().boards[1] ?? assert.fail();
  for (const [key, variable] of [
    ['g', 'gateway'],
    ['a', 'address'],
  ] as const) {
    made.keys(key);
    assert.equal(variables[watch().prompt?.variable ?? -1]?.name, variable);
    made.keys('escape');
  }
  made.keys('f', 'tab', 'j');
  assert.deepEqual(watch().prompt, { variable: 1, text: 'j' });
});

test('has one line of keys, which are those of the filter while one is typed', () => {
  const made = opened();
  const lastLines = (columns: number, rows: number) => made.draw(columns, rows).trimEnd().split('\n').slice(-4);
  for (const [columns, rows] of [
    [80, 23],
    [140, 39],
  ] as const) {
    const drawn = made.draw(columns, rows);
    assert.equal(drawn.match(/q quit/g)?.length, 1);
    assert.match(lastLines(columns, rows).at(-1) ?? '', /Tab dashboard.*f filter/);
  }
  made.keys('f', 'x');
  const [status, , , keys] = lastLines(80, 23);
  assert.match(status ?? '', /^\w+: x\u2588$/);
  assert.match(keys ?? '', /^Enter apply {2}Tab next {2}Esc back {2}/);
  assert.doesNotMatch(keys ?? '', /dashboard/);
  made.keys('enter');
  assert.deepEqual(Object.values(made.state().dashboard.watch?.chosen ?? {}), ['x']);
});

test('shows what happens while the stack is started, with the command and the time', () => {
  const made = opened();
  const work = { line: 'up', note: 'waiting for loki\x1b[2J', seconds: 12 };
  made.dispatch({ kind: 'dashboard.work', work });
  assert.match(made.draw(), /\n\S up waiting for loki\\x1b\[2J 12 s\n[\s\S]*\n\$ guardcli dashboard up\n/);
});

test('says what to do when there is no compose tool, and asks only once at a time', async () => {
  const cwd = scratch();
  const made = testWorld();
  const context = {
    cwd,
    env: { HOME: cwd, PATH: '' },
    now: Date.now,
    stdout: {},
    signal: new AbortController().signal,
  };
  const dashboard = new DashboardLink(made.world.store, context as unknown as Context);
  Object.assign(made.world, { dashboard });
  made.dispatch({ kind: 'screen', name: 'dashboard' });
  made.keys('s', 'x');
  assert.equal(made.state().dashboard.work?.line, 'up');
  await until(() => made.state().dashboard.work === undefined);
  assert.match(made.draw(), /\nno compose tool was found\. Install the compose plugin[^…]*\n[^…]*\n/);
  await dashboard.close();
});

test('characters of a filter are text, and Escape ends it', () => {
  const made = opened();
  made.keys('f', 'q', '1');
  assert.deepEqual([made.state().screen, made.ended()], ['dashboard', false]);
  assert.equal(made.state().dashboard.watch?.prompt?.text, 'q1');
  made.keys('escape', '1');
  assert.equal(made.state().screen, 'try');
});
