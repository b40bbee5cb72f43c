/** Result of `guardcli why`: the `--json` document. */
import type { Explanation } from '../policy/explain/explain.ts';
import type { Allowed } from './allowed.ts';
import type { Counts } from './counts.ts';
import type { FoundEvent } from './event.ts';

export interface WhyResult {
  readonly reference: string;
  /** The file, or Loki with its address. */
  readonly source: string;
  /** Every value may come from an attacker. */
  readonly event: FoundEvent;
  /** The rule that blocked the request. Null when it exceeded a limit, or the policy does not have the rule. */
  readonly rule: Explanation | null;
  /** Description of the exceeded limit, with its number. */
  readonly bound?: string;
  readonly counts: Counts;
  /** Path of the policy file. Null when the default policy applies. */
  readonly policy: string | null;
  readonly allow: Allowed;
  /** Messages about damaged compressed files, which were searched up to the damage. */
  readonly damage: readonly string[];
}
