/** The state of the workbench and its reducer. Every change from outside arrives as an action. */

import { type BlockedAction, type BlockedState, initialBlocked, reduceBlocked } from './blocked/state.ts';
import { type DaemonAction, type DaemonState, initialDaemon, reduceDaemon } from './daemon/state.ts';
import { editField, type Field, fieldOf, insertText } from './field.ts';
import { type PolicyAction, type PolicyState, reducePolicy } from './policy/state.ts';
import { initialRecent, type RecentAction, type RecentState, reduceRecent } from './recent.ts';
import { initialSandboxes, reduceSandboxes, type SandboxAction, type SandboxesState } from './sandboxes/state.ts';
import { clamp } from './scroll.ts';
import { initialTry, reduceTry, type TryAction, type TryState } from './try/state.ts';

/** Screens, in the order of the tabs. */
export const screenNames = ['try', 'policy', 'sandboxes', 'daemon', 'blocked'] as const;
export type ScreenName = (typeof screenNames)[number];

export interface Palette {
  readonly field: Field;
  readonly selected: number;
}

export interface Notice {
  readonly isError: boolean;
  readonly text: string;
}

export interface Question {
  readonly text: string;
  readonly command: string;
  readonly argument: string;
}

export interface State {
  readonly screen: ScreenName;
  /** Present while the command palette is open. */
  readonly palette: Palette | undefined;
  /** First visible line of the list of keys. Undefined while the list is not shown. */
  readonly help: number | undefined;
  readonly question: Question | undefined;
  /** Disappears after some seconds. */
  readonly notice: Notice | undefined;
  readonly try: TryState;
  readonly policy: PolicyState;
  readonly recent: RecentState;
  readonly sandboxes: SandboxesState;
  readonly daemon: DaemonState;
  readonly blocked: BlockedState;
}

type AppAction =
  | { readonly kind: 'screen'; readonly name: ScreenName }
  | { readonly kind: 'palette.open'; readonly text?: string }
  | { readonly kind: 'palette.close' }
  | { readonly kind: 'palette.type'; readonly text: string }
  | { readonly kind: 'palette.edit'; readonly key: string }
  /** `last` is the index of the last listed command. */
  | { readonly kind: 'palette.move'; readonly by: 1 | -1; readonly last: number }
  | { readonly kind: 'help'; readonly offset: number | undefined }
  | { readonly kind: 'question'; readonly question: Question | undefined }
  | { readonly kind: 'notice'; readonly notice: Notice | undefined };

export type Action = AppAction | TryAction | PolicyAction | RecentAction | SandboxAction | DaemonAction | BlockedAction;

export const noticeAction = (isError: boolean, text: string): Action => ({ kind: 'notice', notice: { isError, text } });

export const initialState = (policy: PolicyState): State => ({
  screen: 'try',
  palette: undefined,
  help: undefined,
  question: undefined,
  notice: undefined,
  try: initialTry,
  policy,
  recent: initialRecent,
  sandboxes: initialSandboxes,
  daemon: initialDaemon,
  blocked: initialBlocked,
});

function reducePalette(palette: Palette | undefined, action: AppAction): Palette | undefined {
  if (action.kind === 'palette.open') return { field: fieldOf(action.text ?? ''), selected: 0 };
  if (action.kind === 'palette.close') return undefined;
  if (palette === undefined) return undefined;
  switch (action.kind) {
    case 'palette.type':
      return { field: insertText(palette.field, action.text), selected: 0 };
    case 'palette.edit':
      return { field: editField(palette.field, action.key) ?? palette.field, selected: 0 };
    case 'palette.move':
      return { ...palette, selected: clamp(palette.selected + action.by, action.last) };
    default:
      return palette;
  }
}

/** Reduces the actions that do not belong to one screen. */
function reduceApp(state: State, action: AppAction): State {
  if (action.kind === 'screen') return { ...state, screen: action.name };
  if (action.kind === 'notice') return replacePart(state, 'notice', action.notice);
  if (action.kind === 'help') return replacePart(state, 'help', action.offset);
  if (action.kind === 'question') return replacePart(state, 'question', action.question);
  const palette = reducePalette(state.palette, action);
  return palette === state.palette ? state : { ...state, palette };
}

type ActionOf<P extends string> = Extract<Action, { kind: `${P}.${string}` }>;

const isActionOf = <P extends string>(name: P, action: Action): action is ActionOf<P> =>
  action.kind.startsWith(`${name}.`);

/** Returns the same state when the part did not change. */
function replacePart<K extends keyof State>(state: State, key: K, part: State[K]): State {
  return part === state[key] ? state : { ...state, [key]: part };
}

export function reduceState(state: State, action: Action): State {
  if (isActionOf('try', action)) return replacePart(state, 'try', reduceTry(state.try, action));
  if (isActionOf('policy', action)) return replacePart(state, 'policy', reducePolicy(state.policy, action));
  if (isActionOf('recent', action)) return replacePart(state, 'recent', reduceRecent(state.recent, action));
  if (isActionOf('sandbox', action)) return replacePart(state, 'sandboxes', reduceSandboxes(state.sandboxes, action));
  if (isActionOf('daemon', action)) return replacePart(state, 'daemon', reduceDaemon(state.daemon, action));
  if (isActionOf('blocked', action)) return replacePart(state, 'blocked', reduceBlocked(state.blocked, action));
  return reduceApp(state, action);
}
