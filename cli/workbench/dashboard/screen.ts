/** Commands and keys of the screen Dashboard: those of `guardcli dashboard watch`. */
import type { Key } from '../../dashboard/watch/state.ts';
import type { Press } from '../keys/press.ts';
import type { Command, Screen, World } from '../screen.ts';
import type { State } from '../state.ts';
import { DashboardView, watchSize } from './view.tsx';

const names: Readonly<Record<string, Key['name']>> = {
  ...{ enter: 'enter', escape: 'escape', tab: 'tab', backspace: 'backspace', delete: 'backspace' },
  ...{ up: 'up', down: 'down', 'page-up': 'pageUp', 'page-down': 'pageDown' },
};

const press = (key: Key, { dashboard, store, area }: World): void =>
  dashboard.press(key, watchSize(store.state().dashboard, area()));

/** Keys while a filter is typed. */
function type(_state: State, { name: pressed, text }: Press, world: World): undefined {
  const name = names[pressed];
  if (text !== '' || name) press({ text, ...(name && { name }) }, world);
}

const letter = (name: string, key: string): Command => ({
  name,
  keys: [key],
  run: (world) => press({ text: key }, world),
});

/** Creates a command for a named key. While a filter is typed, Tab and arrows still run it, but the letters `others` are text. */
const named = (name: string, key: string, ...others: readonly string[]): Command => ({
  name,
  keys: [key, ...others],
  run: (world) => {
    const known = names[key];
    if (known) press({ text: '', name: known }, world);
  },
});

export const dashboardScreen: Screen = {
  name: 'dashboard',
  title: 'Dashboard',
  commands: [
    { name: 'start the stack', keys: ['s'], label: 'start', run: ({ dashboard }) => dashboard.change('up') },
    {
      name: 'start the stack without Grafana',
      keys: ['S'],
      run: ({ dashboard }) => dashboard.change('up --without grafana'),
    },
    { name: 'stop the stack', keys: ['x'], label: 'stop', run: ({ dashboard }) => dashboard.change('down') },
    named('next dashboard', 'tab', 'd'),
    letter('previous dashboard', 'D'),
    letter('longer range', 'r'),
    letter('shorter range', 'R'),
    letter('filter', 'f'),
    letter('filter by gateway', 'g'),
    letter('filter by address', 'a'),
    letter('clear filters', 'c'),
    letter('open in the browser', 'o'),
    ...[named('scroll down', 'down', 'j'), named('scroll up', 'up', 'k')],
    ...[named('scroll a page down', 'page-down'), named('scroll a page up', 'page-up')],
  ],
  isTyping: ({ dashboard: { watch } }) => watch?.prompt !== undefined,
  type,
  line: ({ dashboard: { work } }) => `guardcli dashboard ${work?.line ?? 'watch'}`,
  View: DashboardView,
};
