import type { Problem } from '../../../contract/load/problem.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import type { SuiteResult } from '../../suite/result.ts';
import { type Field, fieldOf, searchOf } from '../field.ts';
import { type RuleInfo, ruleInfos } from '../rules.ts';
import { clamp, type Scroll, scrollBy } from '../scroll.ts';
import type { FileChange } from './write.ts';

/** The result of the last attempt to read the policy file. */
export interface PolicyFileState {
  /** Name of the policy file. Null until the file exists for the first time. */
  readonly name: string | null;
  readonly problems: readonly Problem[];
  /** Number of problems that are not listed. */
  readonly omitted: number;
  readonly warnings: readonly Problem[];
  /** Why the file cannot be read. */
  readonly unreadable: string | undefined;
  readonly text: string;
}

/** A text says why the cases cannot run. Undefined without a file. */
export type SuiteRun = SuiteResult | string | undefined;

export interface PolicyState {
  /** The last valid policy, or the default policy before the first one. */
  readonly policy: Policy;
  readonly file: PolicyFileState;
  readonly reads: number;
  readonly query: Field;
  readonly isSearching: boolean;
  /** Index in the list of found rules. */
  readonly selected: number;
  /** Id of the rule whose absence is previewed. */
  readonly previewedOffRuleId: string | undefined;
  /** Index of the first visible line of the details. */
  readonly offset: number;
  readonly suite: SuiteRun;
  /** The change that undoes the last change. */
  readonly undo: FileChange | undefined;
}

export type PolicyAction =
  | {
      readonly kind: 'policy.read';
      readonly file: PolicyFileState;
      /** Undefined when the file is invalid or cannot be read. */
      readonly policy: Policy | undefined;
    }
  | { readonly kind: 'policy.searching'; readonly isSearching: boolean }
  | { readonly kind: 'policy.query'; readonly query: Field }
  | { readonly kind: 'policy.select'; readonly by: number }
  | { readonly kind: 'policy.toggle' }
  | { readonly kind: 'policy.suite'; readonly suite: SuiteRun }
  | { readonly kind: 'policy.changed'; readonly undo: FileChange }
  | { readonly kind: 'policy.scroll'; readonly scroll: Scroll };

export const initialPolicy = (policy: Policy, file: PolicyFileState): PolicyState => ({
  ...{
    policy,
    file,
    reads: 0,
    query: fieldOf(''),
    isSearching: false,
    selected: 0,
    previewedOffRuleId: undefined,
    offset: 0,
  },
  ...{ suite: undefined, undo: undefined },
});

/**
 * Returns the rules that have every word of the query in their id, reason, pattern or examples. Those that have all words
 * in their id come first.
 */
export function foundRules({ policy, query }: Pick<PolicyState, 'policy' | 'query'>): RuleInfo[] {
  const isFound = searchOf(query);
  const found = [...ruleInfos(policy).values()].filter(({ id, why, pattern, matches }) =>
    isFound([id, why, pattern, ...matches].join('\n')),
  );
  return found.sort((one, other) => Number(isFound(other.id)) - Number(isFound(one.id)));
}

export function selectedRule(state: PolicyState): RuleInfo | undefined {
  const found = foundRules(state);
  return found[Math.min(state.selected, found.length - 1)];
}

export function reducePolicy(state: PolicyState, action: PolicyAction): PolicyState {
  switch (action.kind) {
    case 'policy.read': {
      const { file, policy = state.policy } = action;
      return { ...state, file, policy, reads: state.reads + 1, previewedOffRuleId: undefined };
    }
    case 'policy.searching':
      return { ...state, isSearching: action.isSearching };
    case 'policy.query':
      return { ...state, query: action.query, selected: 0, offset: 0, previewedOffRuleId: undefined };
    case 'policy.select': {
      const last = foundRules(state).length - 1;
      return { ...state, selected: clamp(state.selected + action.by, last), offset: 0, previewedOffRuleId: undefined };
    }
    case 'policy.toggle':
      return {
        ...state,
        previewedOffRuleId: state.previewedOffRuleId === undefined ? selectedRule(state)?.id : undefined,
        offset: 0,
      };
    case 'policy.suite':
      return { ...state, suite: action.suite };
    case 'policy.changed':
      return { ...state, undo: action.undo };
    case 'policy.scroll':
      return { ...state, offset: scrollBy(state.offset, action.scroll) };
  }
}
