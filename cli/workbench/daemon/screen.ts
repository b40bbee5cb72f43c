import { fieldOf, typeInto } from '../field.ts';
import type { Press } from '../keys/press.ts';
import { type Command, dispatching, type Screen } from '../screen.ts';
import type { Action, State } from '../state.ts';
import { banOf } from './change.ts';
import { lineOf, selectedBan } from './state.ts';
import { DaemonView } from './view.tsx';

function type({ daemon: { filter } }: State, press: Press): Action | undefined {
  const field = typeInto(filter, press);
  return field && { kind: 'daemon.filter', filter: field };
}

/** Bans an address. Without an argument, the palette requests one. */
const ban: Command['run'] = ({ store, daemon }, argument) => {
  const change = banOf(argument);
  if (!change) return store.dispatch({ kind: 'palette.open', text: 'ban ' });
  daemon.change(change);
};

/** Returns the question before an unban. It stores the address, because the selection can change before the answer. */
const unbanQuestion: Command['questionOf'] = ({ daemon }, argument) => {
  const ip = argument || selectedBan(daemon)?.ip;
  return ip === undefined ? undefined : { text: `Unban ${ip}?`, argument: ip };
};

const unban: Command['run'] = ({ store, daemon }, ip) => {
  if (ip === '') return store.dispatch({ kind: 'palette.open', text: 'unban ' });
  daemon.change({ path: '/unban', body: { ip } });
};

const undo: Command['run'] = ({ store, daemon }) => {
  const change = store.state().daemon.undo;
  if (change) daemon.change(change);
};

const isTyping = ({ daemon }: State): boolean => daemon.isFiltering;

export const daemonScreen: Screen = {
  name: 'daemon',
  title: 'Daemon',
  commands: [
    { name: 'next ban', keys: ['down', 'j'], label: 'ban list', run: dispatching({ kind: 'daemon.select', by: 1 }) },
    { name: 'previous ban', keys: ['up', 'k'], run: dispatching({ kind: 'daemon.select', by: -1 }) },
    { name: 'ban', keys: ['b'], label: 'ban', takes: '<address> [duration] [reason]', run: ban },
    { name: 'unban', keys: ['u'], label: 'unban', takes: '[address]', questionOf: unbanQuestion, run: unban },
    {
      ...{ name: 'undo the last change of the bans', keys: ['z'], label: 'undo' },
      ...{ when: ({ daemon }) => daemon.undo !== undefined, run: undo },
    },
    { name: 'show events', keys: ['e'], label: 'events', run: dispatching({ kind: 'daemon.pane', pane: 'events' }) },
    {
      name: 'filter events',
      keys: ['/'],
      label: 'filter',
      run: dispatching({ kind: 'daemon.filtering', isFiltering: true }),
    },
    {
      ...{ name: 'keep the filter', keys: ['enter'], label: 'keep', when: isTyping },
      run: dispatching({ kind: 'daemon.filtering', isFiltering: false }),
    },
    {
      ...{ name: 'clear the filter', keys: ['escape'], label: 'clear the filter' },
      when: ({ daemon }) => daemon.isFiltering || daemon.filter.text !== '',
      run: dispatching(
        { kind: 'daemon.filtering', isFiltering: false },
        { kind: 'daemon.filter', filter: fieldOf('') },
      ),
    },
  ],
  isTyping,
  type,
  line: ({ daemon }) => lineOf(daemon),
  View: DaemonView,
};
