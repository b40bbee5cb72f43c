import type { LoadedPolicy } from '../input/policy.ts';
import type { Context } from '../program/context.ts';
import type { SuitePolicy } from './case.ts';
import { selectCases } from './only.ts';
import { type CaseProbes, caseProbes } from './probes.ts';
import { readSuite } from './read.ts';

export interface ServerSuite {
  readonly file: string;
  readonly only: readonly string[] | undefined;
  /** The policy that the server runs. */
  readonly policy: LoadedPolicy | SuitePolicy;
  /** True when a host model predicts which requests the proxy refuses. */
  readonly isProxyKnown: boolean;
}

/** @throws UsageError, ConfigError */
export async function loadCases(
  { file, only, policy, isProxyKnown }: ServerSuite,
  context: Context,
): Promise<CaseProbes> {
  const loaded = selectCases(await readSuite({ file, config: policy }, context), only);
  return caseProbes(loaded, { policy: policy.policy, isProxyKnown });
}
