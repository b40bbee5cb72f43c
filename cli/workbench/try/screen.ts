import { proxies } from '../../targets/table.ts';
import { editField, insertText } from '../field.ts';
import type { Press } from '../keys/press.ts';
import { type Command, dispatching, type Screen, type World } from '../screen.ts';
import { type Action, noticeAction, type State } from '../state.ts';
import { testLine } from './line.ts';
import { outcomeOf } from './outcome.ts';
import { optionsOf } from './state.ts';
import { lastTryOffset, TryView } from './view.tsx';

function type({ try: { focus, fields } }: State, { name, text }: Press): Action | undefined {
  if (focus === undefined) return undefined;
  const isMultiline = focus === 'headers' || focus === 'body';
  const added = isMultiline && name === 'enter' ? '\n' : text;
  const field = added === '' ? editField(fields[focus], name) : insertText(fields[focus], added, isMultiline);
  return field && { kind: 'try.edit', field };
}

/** Adds the request to the recent requests. The screen Policy shows how a change of the policy affects them. */
function keepRequest({ store }: World): void {
  const { try: state, policy } = store.state();
  const outcome = outcomeOf(state, policy.policy);
  if (outcome.kind === 'invalid') return;
  const { request, trace } = outcome;
  store.dispatch({ kind: 'recent.add', request, source: 'typed', rule: trace.verdict.rule });
  store.dispatch(noticeAction(false, 'kept; the screen Policy shows what would change it'));
}

/** Opens the recent request before the opened one. Opens the latest one after the oldest, and when none is opened. */
function openRecent({ store: { state, dispatch } }: World): void {
  const { recent, try: shown } = state();
  const index = recent.requests.findIndex(({ number }) => number === shown.opened);
  const before = recent.requests.at(index < 0 ? -1 : index - 1);
  if (before) dispatch({ kind: 'try.open', request: before.request, number: before.number });
  else dispatch(noticeAction(true, 'there is no recent request; Enter keeps one'));
}

/** Loads the models of the proxies, after the first frame, which does not need them. */
export async function loadHosts({ store }: World): Promise<void> {
  const hosts = await Promise.all(proxies.map(async ({ title, loadHost }) => ({ title, model: await loadHost() })));
  store.dispatch({ kind: 'try.hosts', hosts });
}

const scroll =
  (by: number): Command['run'] =>
  ({ store, area }) =>
    store.dispatch({ kind: 'try.scroll', scroll: { by, last: lastTryOffset(store.state(), area()) } });

const isTyping = ({ try: { focus } }: State): boolean => focus !== undefined;

export const tryScreen: Screen = {
  name: 'try',
  title: 'Try',
  commands: [
    { name: 'next field', keys: ['tab', 'down'], label: 'field', run: dispatching({ kind: 'try.move', by: 1 }) },
    { name: 'previous field', keys: ['shift-tab', 'up'], run: dispatching({ kind: 'try.move', by: -1 }) },
    { name: 'keep the request', keys: ['enter'], label: 'keep', run: keepRequest },
    { name: 'open the recent request before this one', keys: ['r', 'ctrl-r'], label: 'recent', run: openRecent },
    {
      name: 'stop typing',
      keys: ['escape'],
      label: 'stop typing',
      when: isTyping,
      run: dispatching({ kind: 'try.focus', focus: undefined }),
    },
    {
      ...{ name: 'edit the path', keys: ['i'], label: 'edit', when: (state) => !isTyping(state) },
      run: dispatching({ kind: 'try.focus', focus: 'path' }),
    },
    { name: 'go to the path', keys: ['ctrl-l'], run: dispatching({ kind: 'try.focus', focus: 'path' }) },
    { name: 'scroll down', keys: ['page-down'], label: 'scroll', run: scroll(5) },
    { name: 'scroll up', keys: ['page-up'], run: scroll(-5) },
  ],
  isTyping,
  type,
  line: ({ try: state, policy: { file } }) => testLine(optionsOf(state), file.name),
  View: TryView,
};
