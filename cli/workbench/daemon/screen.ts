/** Commands and keys of the screen Daemon. */
import { edit, insert } from '../field.ts';
import type { Press } from '../press.ts';
import { type Command, dispatching, type Screen } from '../screen.ts';
import type { Action, State } from '../state.ts';
import { lineOf, selectedBan } from './state.ts';
import { DaemonView } from './view.tsx';

function type({ daemon: { filter } }: State, { name, text }: Press): Action | undefined {
  const field = text === '' ? edit(filter, name) : insert(filter, text);
  return field && { kind: 'daemon.filter', filter: field };
}

/** Bans an address. Without an argument, the palette requests one. */
const ban: Command['run'] = ({ store, daemon }, argument) => {
  const [ip, duration] = argument.split(/\s+/).filter(Boolean);
  if (ip === undefined) return store.dispatch({ kind: 'palette.open', text: 'ban ' });
  daemon.change('/ban', { ip, ...(duration !== undefined && { duration }) });
};

const unban: Command['run'] = ({ store, daemon }, argument) => {
  const ip = argument || selectedBan(store.state().daemon)?.ip;
  if (ip === undefined) return store.dispatch({ kind: 'palette.open', text: 'unban ' });
  daemon.change('/unban', { ip });
};

const isTyping = ({ daemon }: State): boolean => daemon.isFiltering;

export const daemonScreen: Screen = {
  name: 'daemon',
  title: 'Daemon',
  commands: [
    { name: 'next ban', keys: ['down', 'j'], label: 'ban list', run: dispatching({ kind: 'daemon.select', by: 1 }) },
    { name: 'previous ban', keys: ['up', 'k'], run: dispatching({ kind: 'daemon.select', by: -1 }) },
    { name: 'ban', keys: ['b'], label: 'ban', takes: '<address> [duration]', run: ban },
    { name: 'unban', keys: ['u'], label: 'unban', takes: '[address]', run: unban },
    { name: 'show events', keys: ['e'], label: 'events', run: dispatching({ kind: 'daemon.pane', pane: 'events' }) },
    {
      name: 'filter events',
      keys: ['/'],
      label: 'filter',
      run: dispatching({ kind: 'daemon.filtering', isFiltering: true }),
    },
    {
      ...{ name: 'end the filter', keys: ['escape', 'enter'], label: 'end the filter', when: isTyping },
      run: dispatching({ kind: 'daemon.filtering', isFiltering: false }),
    },
  ],
  isTyping,
  type,
  line: ({ daemon }) => lineOf(daemon),
  View: DaemonView,
};
