/** Result of `guardcli diff`: the `--json` document. Strings from requests hold one byte per character (latin1). */
import type { Policy } from '../../../contract/policy/schema.ts';
import type { Difference } from '../../apply/change.ts';
import type { NonTargetLines } from '../../batch/result.ts';
import type { Count } from '../../counting/counter.ts';
import type { Finding } from '../../evaluate/evaluator.ts';

export type ComparedVerdict = Pick<Finding, 'verdict' | 'reason' | 'rule' | 'target'>;

export interface ChangedRequest {
  readonly method: string;
  readonly target: string;
  /** Header or body with the example, if the target does not contain it. */
  readonly header?: readonly [name: string, value: string];
  readonly body?: string;
  /** Line in the list, from 1. Absent for an example of a rule. */
  readonly line?: number;
  readonly old: ComparedVerdict;
  readonly new: ComparedVerdict;
}

/** Requests whose result changes in the same way. */
export interface Change {
  /** `blocked to allowed`, or `blocked for another reason`. */
  readonly kind: string;
  /** False when only the rule or reason changes. */
  readonly isVerdict: boolean;
  readonly count: number;
  /** Old and new rule, in descending order of frequency. */
  readonly rules: readonly Count[];
  readonly first: readonly ChangedRequest[];
}

/** A change of `mode`. It keeps the verdicts, and changes what happens to blocked requests. */
export interface ModeChange {
  readonly old: Policy['mode'];
  readonly new: Policy['mode'];
  /** Requests that both policies block. */
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
  /** Path of the list. Null when examples of the rules were used. */
  readonly list: string | null;
  readonly requests: number;
  readonly changedVerdicts: number;
  readonly notTargets?: NonTargetLines;
  /** Absent when both policies have the same mode. */
  readonly mode?: ModeChange;
  readonly changes: readonly Change[];
}
