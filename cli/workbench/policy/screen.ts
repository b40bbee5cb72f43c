/** Commands and keys of the screen Policy. */
import { defaultFile } from '../../input/source.ts';
import { quote } from '../../program/quote.ts';
import { edit, insert } from '../field.ts';
import type { Press } from '../press.ts';
import { type Command, dispatching, type Screen, type World } from '../screen.ts';
import type { Action, State } from '../state.ts';
import { selectedRule } from './state.ts';
import { switchOff } from './switch-off.ts';
import { lastPolicyOffset, PolicyView } from './view.tsx';
import { replaceFile } from './write.ts';

function type({ policy: { query } }: State, { name, text }: Press): Action | undefined {
  const field = text === '' ? edit(query, name) : insert(query, text);
  return field && { kind: 'policy.query', query: field };
}

/** Writes the shown change if the file still has the content that the change was made for. */
function write({ store, context }: World): void {
  const { policy } = store.state();
  const rule = selectedRule(policy);
  const notice = (isError: boolean, text: string) => store.dispatch({ kind: 'notice', notice: { isError, text } });
  if (policy.off === undefined || !rule) {
    notice(true, 'switch a rule off first');
    return;
  }
  const change = switchOff(policy.file.text, rule);
  if (!change.ok) {
    notice(true, change.reason);
    return;
  }
  const name = policy.file.name ?? defaultFile;
  try {
    replaceFile(name, policy.file.name === null ? undefined : policy.file.text, change.text, context);
    notice(false, `${name} no longer has ${rule.id}`);
  } catch (error) {
    notice(true, (error as Error).message);
  }
}

const select = (by: number) => dispatching({ kind: 'policy.select', by });

const scroll =
  (by: number): Command['run'] =>
  ({ store, area }) =>
    store.dispatch({ kind: 'policy.scroll', scroll: { by, last: lastPolicyOffset(store.state(), area()) } });

/**
 * Returns the command line: the explanation of a rule that was searched, selected or switched off; otherwise the
 * summary and problems of the file.
 */
function line({ policy }: State): string {
  const { file, query, selected, off } = policy;
  const isChosen = query.text !== '' || selected > 0 || off !== undefined;
  const isValid = file.problems.length === 0 && file.unreadable === undefined;
  const rule = isChosen && isValid ? selectedRule(policy) : undefined;
  if (!rule) return `guardcli validate ${quote(file.name ?? defaultFile)}`;
  return `guardcli explain ${quote(rule.id)}${file.name === null ? '' : ` -c ${quote(file.name)}`}`;
}

const isTyping = ({ policy }: State): boolean => policy.isSearching;

export const policyScreen: Screen = {
  name: 'policy',
  title: 'Policy',
  commands: [
    { name: 'next rule', keys: ['down', 'j'], label: 'rule', run: select(1) },
    { name: 'previous rule', keys: ['up', 'k'], run: select(-1) },
    { name: 'next page of rules', keys: ['page-down'], run: select(10) },
    { name: 'previous page of rules', keys: ['page-up'], run: select(-10) },
    {
      name: 'search rules',
      keys: ['/'],
      label: 'search',
      run: dispatching({ kind: 'policy.searching', isSearching: true }),
    },
    {
      ...{ name: 'end the search', keys: ['escape', 'enter'], label: 'end the search', when: isTyping },
      run: dispatching({ kind: 'policy.searching', isSearching: false }),
    },
    {
      name: 'show without this rule',
      keys: ['x'],
      label: 'without rule',
      run: dispatching({ kind: 'policy.toggle' }),
    },
    { name: 'write the change to the file', keys: ['w'], label: 'write', run: write },
    {
      name: 'scroll details down',
      keys: ['right', 'l'],
      label: 'scroll',
      run: scroll(5),
    },
    { name: 'scroll details up', keys: ['left', 'h'], run: scroll(-5) },
  ],
  isTyping,
  type,
  line,
  View: PolicyView,
};
