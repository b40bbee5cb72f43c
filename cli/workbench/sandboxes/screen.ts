import { portOf } from '../../input/port.ts';
import { defaultFile } from '../../input/source.ts';
import { quote } from '../../program/quote.ts';
import { fieldOf, typeInto } from '../field.ts';
import type { Press } from '../keys/press.ts';
import { type Command, dispatching, type Screen } from '../screen.ts';
import { type Action, noticeAction, type State } from '../state.ts';
import { requestOfEvent } from './event-request.ts';
import {
  type Details,
  failuresOf,
  foundEvents,
  isInEvents,
  selectedEvent,
  selectedSandbox,
  type Use,
} from './state.ts';
import { SandboxesView } from './view.tsx';

function type({ sandboxes: { filter } }: State, press: Press): Action | undefined {
  const field = typeInto(filter, press);
  return field && { kind: 'sandbox.filter', filter: field };
}

const startSandbox =
  (use: Use): Command['run'] =>
  ({ store, sandboxes }) => {
    const { target, detached } = selectedSandbox(store.state().sandboxes);
    if (detached) store.dispatch(noticeAction(true, 'a detached sandbox serves already; x removes it'));
    else sandboxes.start(target, use);
  };

/** Stops a sandbox of the workbench, or removes a detached one. */
const stopSandbox: Command['run'] = ({ store: { state, dispatch }, sandboxes, detached: others }) => {
  const { target, name, detached } = selectedSandbox(state().sandboxes);
  if (!detached) return sandboxes.stop(target);
  others.remove(detached.session).then(
    () => dispatch(noticeAction(false, `${name} is removed`)),
    (error: Error) => dispatch(noticeAction(true, error.message)),
  );
};

/** Chooses the port. Without an argument, the palette requests one. */
const choosePort: Command['run'] = ({ store: { state, dispatch } }, argument) => {
  if (argument === '') return dispatch({ kind: 'palette.open', text: 'port ' });
  const { isRunning, detached } = selectedSandbox(state().sandboxes);
  const port = portOf(argument);
  if (isRunning || detached) dispatch(noticeAction(true, 'a running sandbox keeps its port; x stops it'));
  else if (port === undefined) dispatch(noticeAction(true, `${argument} is not a port: pass a number from 1 to 65535`));
  else dispatch({ kind: 'sandbox.port', port });
};

const openEvent: Command['run'] = ({ store: { state, dispatch } }) => {
  const { sandboxes } = state();
  const found = foundEvents(sandboxes);
  const event = found[selectedEvent(sandboxes, found)]?.event;
  const request = event && requestOfEvent(event);
  if (!request)
    return dispatch(noticeAction(true, event ? 'an event of tcp-guard has no request' : 'there is no event yet'));
  dispatch({ kind: 'try.open', request });
  dispatch({ kind: 'screen', name: 'try' });
};

const showDetails = (details: Details): Command['run'] => dispatching({ kind: 'sandbox.details', details });

const copyRepeat: Command['run'] = ({ store, copy }) => {
  const { sandboxes } = store.state();
  const repeat = failuresOf(selectedSandbox(sandboxes))[sandboxes.failure]?.repeat;
  if (repeat !== undefined) copy(repeat);
  const text = repeat === undefined ? 'no failure is shown' : 'the line that repeats it is on the clipboard';
  store.dispatch(noticeAction(repeat === undefined, text));
};

function line({ sandboxes, policy: { file } }: State): string {
  const { name, target, port, use, detached } = selectedSandbox(sandboxes);
  if (detached) return `docker logs --follow ${name}`;
  return `guardcli sandbox ${target} ${quote(file.name ?? defaultFile)} --port ${port}${use === 'test' ? ' --test' : ''}`;
}

const isTyping = ({ sandboxes }: State): boolean => sandboxes.isFiltering;
const isAmongEvents = ({ sandboxes }: State): boolean => isInEvents(sandboxes);
const isInList = (state: State): boolean => !isAmongEvents(state);
const canLeave = (state: State): boolean => isAmongEvents(state) && !isTyping(state);

export const sandboxesScreen: Screen = {
  name: 'sandboxes',
  title: 'Sandboxes',
  commands: [
    {
      ...{ name: 'next sandbox', keys: ['down', 'j'], label: 'target', when: isInList },
      run: dispatching({ kind: 'sandbox.select', by: 1 }),
    },
    {
      ...{ name: 'previous sandbox', keys: ['up', 'k'], when: isInList },
      run: dispatching({ kind: 'sandbox.select', by: -1 }),
    },
    { name: 'open the selected event in Try', keys: ['enter'], label: 'try', when: canLeave, run: openEvent },
    {
      ...{ name: 'next event', keys: ['down', 'j'], label: 'event', when: isAmongEvents },
      run: dispatching({ kind: 'sandbox.event', by: 1 }),
    },
    {
      ...{ name: 'previous event', keys: ['up', 'k'], when: isAmongEvents },
      run: dispatching({ kind: 'sandbox.event', by: -1 }),
    },
    {
      ...{ name: 'back to the sandboxes', keys: ['escape'], label: 'back', when: canLeave },
      run: dispatching({ kind: 'sandbox.inEvents', isInEvents: false }),
    },
    { name: 'start the sandbox', keys: ['s'], label: 'start', run: startSandbox('follow') },
    { name: 'send the probe suite', keys: ['t'], label: 'test', run: startSandbox('test') },
    { name: 'stop the sandbox', keys: ['x'], label: 'stop', run: stopSandbox },
    { name: 'port', keys: ['P'], takes: '<number>', run: choosePort },
    { name: 'show progress', keys: ['p'], run: showDetails('progress') },
    { name: 'go to the events', keys: ['e'], label: 'events', run: showDetails('events') },
    { name: 'show failed probes', keys: ['f'], label: 'failures', run: showDetails('failures') },
    { name: 'show the log of the proxy', keys: ['l'], label: 'log', run: showDetails('log') },
    {
      name: 'filter events',
      keys: ['/'],
      label: 'filter',
      run: dispatching({ kind: 'sandbox.filtering', isFiltering: true }),
    },
    {
      ...{ name: 'keep the filter', keys: ['enter'], label: 'keep', when: isTyping },
      run: dispatching({ kind: 'sandbox.filtering', isFiltering: false }),
    },
    {
      ...{ name: 'clear the filter', keys: ['escape'], label: 'clear the filter' },
      when: (state) => isTyping(state) || (state.sandboxes.filter.text !== '' && !canLeave(state)),
      run: dispatching(
        { kind: 'sandbox.filtering', isFiltering: false },
        { kind: 'sandbox.filter', filter: fieldOf('') },
      ),
    },
    { name: 'next failure', keys: ['right', 'n'], run: dispatching({ kind: 'sandbox.failure', by: 1 }) },
    { name: 'previous failure', keys: ['left'], run: dispatching({ kind: 'sandbox.failure', by: -1 }) },
    { name: 'copy the line that repeats the failure', keys: ['c'], run: copyRepeat },
  ],
  isTyping,
  type,
  line,
  View: SandboxesView,
};
