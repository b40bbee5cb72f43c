import { resolve } from 'node:path';
import { readJson } from '../../../contract/load/json.ts';
import { positionsOf } from '../../../contract/load/position.ts';
import { memberAt } from '../../../contract/load/tree.ts';
import { defaultFile } from '../../input/source.ts';
import { quote } from '../../program/quote.ts';
import { fieldOf, typeInto } from '../field.ts';
import type { Press } from '../keys/press.ts';
import { type Command, dispatching, type Screen, type World } from '../screen.ts';
import { type Action, noticeAction, type State } from '../state.ts';
import { type PolicyState, selectedRule } from './state.ts';
import { ruleIn, switchOff } from './switch-off.ts';
import { lastPolicyOffset, PolicyView } from './view.tsx';
import { changeFile, type FileChange, reverseChange } from './write.ts';

function type({ policy: { query } }: State, press: Press): Action | undefined {
  const field = typeInto(query, press);
  return field && { kind: 'policy.query', query: field };
}

/** Returns the previewed change, or a message when there is none. */
function shownChange({ policy: { previewedOffRuleId, file }, policy }: State): FileChange | string {
  const rule = selectedRule(policy);
  if (previewedOffRuleId === undefined || !rule)
    return 'x shows a policy without the selected rule; switch a rule off first';
  const change = switchOff(file.text, rule);
  if (!change.ok) return change.reason;
  return { name: file.name ?? defaultFile, before: file.name === null ? undefined : file.text, after: change.text };
}

const writeQuestion: Command['questionOf'] = (state) => {
  const change = shownChange(state);
  if (typeof change === 'string') return undefined;
  return { text: `Write ${change.name} without ${selectedRule(state.policy)?.id}?`, argument: '' };
};

/** Applies a change, but only if the file still has the text `change.before`. */
function applyChange({ store: { dispatch }, context }: World, change: FileChange, text: string): void {
  try {
    changeFile(change, context);
    dispatch({ kind: 'policy.changed', undo: reverseChange(change) });
    dispatch(noticeAction(false, text));
  } catch (error) {
    dispatch(noticeAction(true, (error as Error).message));
  }
}

function writeChange(world: World): void {
  const state = world.store.state();
  const change = shownChange(state);
  if (typeof change === 'string') world.store.dispatch(noticeAction(true, change));
  else applyChange(world, change, `${change.name} no longer has ${selectedRule(state.policy)?.id}; z undoes this`);
}

function undoChange(world: World): void {
  const change = world.store.state().policy.undo;
  if (change) applyChange(world, change, `the last change of ${change.name} is undone`);
}

/** Returns the line of the selected rule. A built-in rule has the line of `disabledRules`, or the first line. */
function ruleLine(state: PolicyState): number {
  const { text } = state.file;
  const { root } = readJson(text);
  const rule = selectedRule(state);
  if (!root || !rule) return 1;
  const found = rule.isCustom ? ruleIn(root, rule)?.item : memberAt(root, ['disabledRules']);
  return found ? positionsOf(text)(found.start).line : 1;
}

function lineToEdit(state: PolicyState): number {
  const [problem] = state.file.problems;
  return problem ? Math.max(1, problem.line) : ruleLine(state);
}

function editFile({ store: { state, dispatch }, context, edit: openEditor }: World): void {
  const { policy } = state();
  const file = resolve(context.cwd, policy.file.name ?? defaultFile);
  openEditor(file, lineToEdit(policy)).catch((error: Error) => dispatch(noticeAction(true, error.message)));
}

const select = (by: number) => dispatching({ kind: 'policy.select', by });

const scroll =
  (by: number): Command['run'] =>
  ({ store, area }) =>
    store.dispatch({ kind: 'policy.scroll', scroll: { by, last: lastPolicyOffset(store.state(), area()) } });

/** Returns the command that explains the chosen rule, or else validates the file. */
function line({ policy }: State): string {
  const { file, query, selected, previewedOffRuleId } = policy;
  const isChosen = query.text !== '' || selected > 0 || previewedOffRuleId !== undefined;
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
      ...{ name: 'keep the search', keys: ['enter'], label: 'keep', when: isTyping },
      run: dispatching({ kind: 'policy.searching', isSearching: false }),
    },
    {
      name: 'show without this rule',
      keys: ['x'],
      label: 'without rule',
      run: dispatching({ kind: 'policy.toggle' }),
    },
    { name: 'write the change to the file', keys: ['w'], label: 'write', questionOf: writeQuestion, run: writeChange },
    {
      ...{ name: 'undo the last change of the file', keys: ['z'], label: 'undo' },
      ...{ when: ({ policy }) => policy.undo !== undefined, run: undoChange },
    },
    {
      ...{ name: 'clear the search', keys: ['escape'], label: 'clear the search' },
      when: ({ policy }) => policy.isSearching || policy.query.text !== '',
      run: dispatching({ kind: 'policy.searching', isSearching: false }, { kind: 'policy.query', query: fieldOf('') }),
    },
    { name: 'edit the file at the rule, or at its first problem', keys: ['e'], label: 'edit', run: editFile },
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
