/** The dashboard screen. Most of its keys are those of `guardcli dashboard watch`. */
import type { Key } from '../../dashboard/watch/state.ts';
import type { Press } from '../keys/press.ts';
import type { Command, Screen, World } from '../screen.ts';
import type { State } from '../state.ts';
import { DashboardView, watchSize } from './view.tsx';

const keyNames: Readonly<Record<string, Key['name']>> = {
  ...{ enter: 'enter', escape: 'escape', tab: 'tab', backspace: 'backspace', delete: 'backspace' },
  ...{ up: 'up', down: 'down', 'page-up': 'pageUp', 'page-down': 'pageDown' },
};

const pressKey = (key: Key, { dashboard, store, area }: World): void =>
  dashboard.press(key, watchSize(store.state().dashboard, area()));

/** Passes keys to the dashboard, except Enter, which has a command. */
function type(_state: State, { name: pressed, text }: Press, world: World): undefined {
  const name = keyNames[pressed];
  if (name === 'enter') return;
  if (text !== '' || name) pressKey({ text, ...(name && { name }) }, world);
}

const isTyping = ({ dashboard: { watch } }: State): boolean => watch?.prompt !== undefined;

const letterCommand = (name: string, key: string, label?: string): Command => ({
  ...{ name, keys: [key], ...(label && { label }) },
  run: (world) => pressKey({ text: key }, world),
});

/** The command presses the first of its keys in the dashboard. */
const namedKeyCommand = (
  name: string,
  keys: readonly string[],
  more: Pick<Command, 'label' | 'when'> = {},
): Command => ({
  ...{ name, keys, ...more },
  run: (world) => {
    const known = keyNames[keys[0] ?? ''];
    if (known) pressKey({ text: '', name: known }, world);
  },
});

const typingCommands: readonly Command[] = [
  namedKeyCommand('apply the filter', ['enter'], { label: 'apply', when: isTyping }),
  namedKeyCommand('next filter', ['tab'], { label: 'next', when: isTyping }),
  namedKeyCommand('leave the filter', ['escape'], { label: 'back', when: isTyping }),
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
    ...typingCommands,
    namedKeyCommand('next dashboard', ['tab', 'd'], { label: 'dashboard', when: (state) => !isTyping(state) }),
    letterCommand('previous dashboard', 'D'),
    letterCommand('filter', 'f', 'filter'),
    letterCommand('filter by gateway', 'g'),
    letterCommand('filter by address', 'a'),
    letterCommand('clear filters', 'c', 'clear'),
    letterCommand('longer range', 'r', 'range'),
    letterCommand('shorter range', 'R'),
    letterCommand('open in the browser', 'o', 'browser'),
    ...[namedKeyCommand('scroll down', ['down', 'j']), namedKeyCommand('scroll up', ['up', 'k'])],
    ...[namedKeyCommand('scroll a page down', ['page-down']), namedKeyCommand('scroll a page up', ['page-up'])],
  ],
  isTyping,
  type,
  line: ({ dashboard: { work } }) => `guardcli dashboard ${work?.line ?? 'watch'}`,
  View: DashboardView,
};
