/** What `guardcli test` finds out: the `--json` document. Strings from the request are bytes as latin1 characters. */
import type { TracedException, TracedTarget, Verdict } from '../../contract/engine/index.ts';
import type { Mode } from '../../contract/policy/modes.ts';
import type { Policy } from '../../contract/policy/schema.ts';

/** What the proxy in front makes of the target. */
export interface ProxyView {
  readonly name: string;
  /** The target as the guard there receives it; null: the proxy refuses the request. */
  readonly received: string | null;
  /** The target that the backend would get from an allowed request. */
  readonly backend: string | null;
}

export type Expectation = 'blocked' | 'allowed';

export interface TestResult {
  readonly request: { readonly method: string; readonly target: string; readonly ip?: string; readonly host?: string };
  /** The policy file; null: the defaults. */
  readonly policy: string | null;
  /** `detect`: a blocked request is reported and let through. */
  readonly mode: Policy['mode'];
  readonly proxy?: ProxyView;
  /** `refused`: the proxy answers by itself, and the guard never sees the request. */
  readonly verdict: Verdict['verdict'] | 'refused';
  readonly reason: Verdict['reason'] | 'refused_by_proxy';
  readonly target?: string;
  readonly candidate?: string;
  readonly rule?: string;
  readonly pattern?: string;
  /** How the guard answers; null: it does not. */
  readonly responseMode: Mode | null;
  /** Status of the answer to a blocked or refused request; null: it has none of its own. */
  readonly status: number | null;
  /** Everything that was inspected. What matched or excused a candidate stands here with --trace. */
  readonly targets: readonly TracedTarget[];
  /** Exceptions that took out a matching rule; with --trace all of them. Absent: there are none. */
  readonly exceptions?: readonly TracedException[];
  /** What was asked for with --expect, and whether it holds. */
  readonly expected?: { readonly verdict: Expectation; readonly met: boolean };
  readonly notes: readonly string[];
}
