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

/** Passes keys to the filter that is being typed, except Enter, which has a command. */
function type(_state: State, { name: pressed, text }: Press, world: World): undefined {
  const name = names[pressed];
  if (name === 'enter') return;
  if (text !== '' || name) press({ text, ...(name && { name }) }, world);
}

const isTyping = ({ dashboard: { watch } }: State): boolean => watch?.prompt !== undefined;

const letter = (name: string, key: string, label?: string): Command => ({
  ...{ name, keys: [key], ...(label && { label }) },
  run: (world) => press({ text: key }, world),
});

/** Creates a command that presses the first of its keys in the dashboard. */
const named = (name: string, keys: readonly string[], more: Pick<Command, 'label' | 'when'> = {}): Command => ({
  ...{ name, keys, ...more },
  run: (world) => {
    const known = names[keys[0] ?? ''];
    if (known) press({ text: '', name: known }, world);
  },
});

/** Commands while a filter is typed. */
const typing: readonly Command[] = [
  named('apply the filter', ['enter'], { label: 'apply', when: isTyping }),
  named('next filter', ['tab'], { label: 'next', when: isTyping }),
  named('leave the filter', ['escape'], { label: 'back', when: isTyping }),
];

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
    ...typing,
    named('next dashboard', ['tab', 'd'], { label: 'dashboard', when: (state) => !isTyping(state) }),
    letter('previous dashboard', 'D'),
    letter('filter', 'f', 'filter'),
    letter('filter by gateway', 'g'),
    letter('filter by address', 'a'),
    letter('clear filters', 'c', 'clear'),
    letter('longer range', 'r', 'range'),
    letter('shorter range', 'R'),
    letter('open in the browser', 'o', 'browser'),
    ...[named('scroll down', ['down', 'j']), named('scroll up', ['up', 'k'])],
    ...[named('scroll a page down', ['page-down']), named('scroll a page up', ['page-up'])],
  ],
  isTyping,
  type,
  line: ({ dashboard: { work } }) => `guardcli dashboard ${work?.line ?? 'watch'}`,
  View: DashboardView,
};
