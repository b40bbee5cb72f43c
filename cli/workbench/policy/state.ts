/** State of the screen Policy: the watched file. Pure. */
import type { Problem } from '../../../contract/load/problem.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import type { Action } from '../state.ts';

/** What was read the last time. */
export interface PolicyFileState {
  /** Null: there is no file, and the defaults apply. */
  readonly name: string | null;
  /** Empty: the file is valid. */
  readonly problems: readonly Problem[];
  /** Number of problems that are not listed. */
  readonly omitted: number;
  readonly warnings: readonly Problem[];
  /** Why the file cannot be read. */
  readonly unreadable: string | undefined;
  /** As read. */
  readonly text: string;
}

export interface PolicyState {
  /** The last valid policy. */
  readonly policy: Policy;
  readonly file: PolicyFileState;
  /** How often the file was read. */
  readonly reads: number;
}

export type PolicyAction = {
  readonly kind: 'policy.read';
  readonly file: PolicyFileState;
  /** Undefined: the file is not valid, and the last valid policy stays. */
  readonly policy: Policy | undefined;
};

export function reducePolicy(state: PolicyState, action: Action): PolicyState {
  switch (action.kind) {
    case 'policy.read':
      return { ...state, file: action.file, policy: action.policy ?? state.policy, reads: state.reads + 1 };
    default:
      return state;
  }
}
