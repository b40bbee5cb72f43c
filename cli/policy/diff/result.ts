/** Result of `guardcli diff`: the `--json` document. Strings from requests hold one byte per character (latin1). */
import type { Policy } from '../../../contract/policy/schema.ts';
import type { Difference } from '../../apply/change.ts';
import type { Count, NotTargets } from '../../batch/result.ts';
import type { Finding } from '../../evaluate/evaluator.ts';

export type ComparedVerdict = Pick<Finding, 'verdict' | 'reason' | 'rule' | 'target'>;

/** A request whose result differs between the policies. */
export interface ChangedRequest {
  readonly method: string;
  readonly target: string;
  /** Header or body that contains the example, if the target does not. */
  readonly header?: readonly [name: string, value: string];
  readonly body?: string;
  /** Line number in the list, from 1. Absent for an example of a rule. */
  readonly line?: number;
  readonly old: ComparedVerdict;
  readonly new: ComparedVerdict;
}

/** Requests whose result changes in the same way. */
export interface Change {
  /** `blocked to allowed`, or `blocked by another rule`. */
  readonly kind: string;
  /** True when the verdict changes, and not only its rule or reason. */
  readonly isVerdict: boolean;
  readonly count: number;
  /** The rules of the old and of the new verdicts, in descending order of frequency. */
  readonly rules: readonly Count[];
  readonly first: readonly ChangedRequest[];
}

/** A change of `mode`. It changes what happens to blocked requests, but not their verdict. */
export interface ModeChange {
  readonly old: Policy['mode'];
  readonly new: Policy['mode'];
  /** Number of requests whose verdict is `blocked` under both policies. */
  readonly requests: number;
}

export interface DiffResult {
  readonly old: string;
  readonly new: string;
  readonly settings: readonly Difference[];
  readonly rules: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    /** Rules with another pattern, action or target. */
    readonly changed: readonly string[];
  };
  /** Path of the list with --paths. Null when examples of the rules were used. */
  readonly list: string | null;
  readonly requests: number;
  readonly changedVerdicts: number;
  /** Requests of the list whose line does not begin with a slash. */
  readonly notTargets?: NotTargets;
  /** Absent when both policies have the same mode. */
  readonly mode?: ModeChange;
  readonly changes: readonly Change[];
}
