/** The result of a sandbox session: the `--json` document. */
import type { ProbeReport } from '../../probes/report.ts';
import type { SuiteResult } from '../../suite/result.ts';

export interface Served {
  readonly target: string;
  readonly url: string;
  /** Remarks for the user. */
  readonly notes: readonly string[];
}

export type SandboxResult =
  | { readonly action: 'dry_run'; readonly target: string; readonly script: string }
  | (Served & { readonly action: 'detached'; readonly container: string })
  | (Served & { readonly action: 'stopped'; readonly events: number })
  | (Served & { readonly action: 'tested'; readonly report: ProbeReport })
  /** Result with --suite. */
  | (Served & { readonly action: 'checked'; readonly report: SuiteResult });

export const urlOf = (port: number): string => `http://localhost:${port}`;
