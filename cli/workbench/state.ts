/** The state of the workbench and its reducer. Pure: every outside change arrives as an action. */

import { type DaemonAction, type DaemonState, initialDaemon, reduceDaemon } from './daemon/state.ts';
import { type DashboardAction, type DashboardState, initialDashboard, reduceDashboard } from './dashboard/state.ts';
import { edit, type Field, fieldOf, insert } from './field.ts';
import { type PolicyAction, type PolicyState, reducePolicy } from './policy/state.ts';
import { initialRecent, type RecentAction, type RecentState, reduceRecent } from './recent.ts';
import { initialSandboxes, reduceSandboxes, type SandboxAction, type SandboxesState } from './sandboxes/state.ts';
import { initialTry, reduceTry, type TryAction, type TryState } from './try/state.ts';

/** Names of the screens in the order of the tabs. */
export const screenNames = ['try', 'policy', 'sandboxes', 'daemon', 'dashboard'] as const;
export type ScreenName = (typeof screenNames)[number];

export interface Palette {
  readonly field: Field;
  readonly selected: number;
}

export interface Notice {
  readonly isError: boolean;
  readonly text: string;
}

export interface State {
  readonly screen: ScreenName;
  /** Present while the command palette is open. */
  readonly palette: Palette | undefined;
  /** The outcome of the last command, until the next key. */
  readonly notice: Notice | undefined;
  readonly try: TryState;
  readonly policy: PolicyState;
  readonly recent: RecentState;
  readonly sandboxes: SandboxesState;
  readonly daemon: DaemonState;
  readonly dashboard: DashboardState;
}

type AppAction =
  | { readonly kind: 'screen'; readonly name: ScreenName }
  | { readonly kind: 'palette.open'; readonly text?: string }
  | { readonly kind: 'palette.close' }
  | { readonly kind: 'palette.type'; readonly text: string }
  | { readonly kind: 'palette.edit'; readonly key: string }
  /** `last` is the index of the last listed command. */
  | { readonly kind: 'palette.move'; readonly by: 1 | -1; readonly last: number }
  | { readonly kind: 'notice'; readonly notice: Notice | undefined };

export type Action =
  | AppAction
  | TryAction
  | PolicyAction
  | RecentAction
  | SandboxAction
  | DaemonAction
  | DashboardAction;

export const initialState = (policy: PolicyState): State => ({
  screen: 'try',
  palette: undefined,
  notice: undefined,
  try: initialTry,
  policy,
  recent: initialRecent,
  sandboxes: initialSandboxes,
  daemon: initialDaemon,
  dashboard: initialDashboard,
});

function reducePalette(palette: Palette | undefined, action: Action): Palette | undefined {
  if (action.kind === 'palette.open') return { field: fieldOf(action.text ?? ''), selected: 0 };
  if (action.kind === 'palette.close') return undefined;
  if (palette === undefined) return undefined;
  switch (action.kind) {
    case 'palette.type':
      return { field: insert(palette.field, action.text), selected: 0 };
    case 'palette.edit':
      return { field: edit(palette.field, action.key) ?? palette.field, selected: 0 };
    case 'palette.move':
      return { ...palette, selected: Math.max(0, Math.min(palette.selected + action.by, action.last)) };
    default:
      return palette;
  }
}

/** Reduces actions that do not belong to a screen. */
function reduceApp(state: State, action: Action): State {
  if (action.kind === 'screen') return { ...state, screen: action.name };
  if (action.kind === 'notice') return state.notice === action.notice ? state : { ...state, notice: action.notice };
  const palette = reducePalette(state.palette, action);
  return palette === state.palette ? state : { ...state, palette };
}

export function reduce(before: State, action: Action): State {
  const state = reduceApp(before, action);
  const parts = {
    try: reduceTry(state.try, action),
    policy: reducePolicy(state.policy, action),
    recent: reduceRecent(state.recent, action),
    sandboxes: reduceSandboxes(state.sandboxes, action),
    daemon: reduceDaemon(state.daemon, action),
    dashboard: reduceDashboard(state.dashboard, action),
  };
  const isSame = (Object.keys(parts) as (keyof typeof parts)[]).every((key) => parts[key] === state[key]);
  return isSame ? state : { ...state, ...parts };
}
