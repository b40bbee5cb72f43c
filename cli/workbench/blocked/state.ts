import { clamp } from '../scroll.ts';
import { type AnswerName, answerNames } from './answers.ts';
import { type Attack, type BlockedEvent, isSameAttack } from './query.ts';

export interface BlockedState {
  /** The most frequent attacks of the last minute are first. Undefined until Loki responded. */
  readonly attacks: readonly Attack[] | undefined;
  /** Milliseconds since the epoch at which `attacks` were counted. */
  readonly at: number;
  /** Length of the counted range, in milliseconds. */
  readonly rangeMs: number;
  /** Why Loki does not respond. The last attacks remain. */
  readonly problem: string | undefined;
  /** The selected attack. It stays selected while the order changes. Undefined: the first one. */
  readonly selected: Attack | undefined;
  /** The newest events of an attack. */
  readonly events: { readonly of: Attack; readonly list: readonly BlockedEvent[] } | undefined;
  readonly answer: AnswerName;
}

export type BlockedAction =
  | { readonly kind: 'blocked.range'; readonly rangeMs: number }
  | { readonly kind: 'blocked.attacks'; readonly attacks: readonly Attack[]; readonly at: number }
  | { readonly kind: 'blocked.events'; readonly of: Attack; readonly list: readonly BlockedEvent[] }
  | { readonly kind: 'blocked.problem'; readonly problem: string }
  | { readonly kind: 'blocked.select'; readonly by: number }
  | { readonly kind: 'blocked.answer'; readonly answer: AnswerName };

export const defaultRangeMs = 15 * 60_000;

export const initialBlocked: BlockedState = {
  ...{ attacks: undefined, at: 0, rangeMs: defaultRangeMs, problem: undefined, selected: undefined, events: undefined },
  answer: answerNames[0],
};

/** Returns the index of the selected attack. An attack that is no longer listed selects the first one. */
export const selectedIndex = ({ attacks = [], selected }: BlockedState): number =>
  Math.max(0, selected === undefined ? 0 : attacks.findIndex((one) => isSameAttack(one, selected)));

export const selectedAttack = (state: BlockedState): Attack | undefined => state.attacks?.[selectedIndex(state)];

/** Returns the newest events of the selected attack. Empty until they are loaded. */
export function shownEvents(state: BlockedState): readonly BlockedEvent[] {
  const attack = selectedAttack(state);
  return attack && state.events && isSameAttack(state.events.of, attack) ? state.events.list : [];
}

export function reduceBlocked(state: BlockedState, action: BlockedAction): BlockedState {
  switch (action.kind) {
    case 'blocked.range':
      return { ...state, rangeMs: action.rangeMs };
    case 'blocked.attacks':
      return { ...state, attacks: action.attacks, at: action.at, problem: undefined };
    case 'blocked.events':
      return { ...state, events: { of: action.of, list: action.list } };
    case 'blocked.problem':
      return { ...state, problem: action.problem };
    case 'blocked.select': {
      const { attacks = [] } = state;
      return { ...state, selected: attacks[clamp(selectedIndex(state) + action.by, attacks.length - 1)] };
    }
    case 'blocked.answer':
      return { ...state, answer: action.answer };
  }
}
