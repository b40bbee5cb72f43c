/** Reads the policies of http services. */
import { resolve } from 'node:path';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Problem } from '../../contract/load/index.ts';
import { requirePolicy } from '../../contract/load/policy.ts';
import { limits } from '../../contract/policy/limits.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { compile, type Guard } from '../../engine/index.ts';
import { readRegular } from '../../platform/regular-file.ts';
import { openBans } from './ban-lists.ts';

/** The texts of policy files, by their path in the configuration. */
export type PolicyTexts = Readonly<Record<string, string>>;

export interface Policies {
  /** The compiled policies, by their path in the configuration. */
  readonly guards: ReadonlyMap<string, Guard>;
  /** The texts of these policies. Each worker gets these texts, even when the files have changed. */
  readonly texts: PolicyTexts;
  /** The problems of the policies. The path of each is the key `http.policy` of a service. */
  readonly problems: readonly Problem[];
}

/** A problem without a line in the file. */
export const problemAt = (path: string, message: string): Problem => ({
  kind: 'bad_value',
  path,
  line: 0,
  column: 0,
  message,
});

type ReadFile = (path: string) => Promise<Buffer>;

/** Resolves paths relative to `folder`. */
export const policyReader =
  (folder: string): ReadFile =>
  (path) =>
    readRegular(resolve(folder, path), limits.policyFileBytes);

/** Compiles a policy, and gives its ban list to each evaluation. */
async function guardOf(policy: Policy): Promise<Guard> {
  const guard = compile(policy);
  if (!policy.enabled || !policy.banList) return guard;
  const list = await openBans(policy.banList.file);
  const evaluate: Guard['evaluate'] = (request) =>
    guard.evaluate({ ...request, ...(list.table && { bans: list.table }) });
  return { ...guard, evaluate };
}

export async function readPolicies({ services }: Daemon, read: ReadFile): Promise<Policies> {
  const guards = new Map<string, Guard>();
  const texts: [string, string][] = [];
  const problems: Problem[] = [];
  for (const [name, { http, enabled }] of Object.entries(services)) {
    if (!enabled || http?.policy === undefined || guards.has(http.policy)) continue;
    try {
      const bytes = await read(http.policy);
      guards.set(http.policy, await guardOf(requirePolicy(bytes, http.policy)));
      texts.push([http.policy, bytes.toString()]);
    } catch (error) {
      problems.push(problemAt(`services.${name}.http.policy`, (error as Error).message));
    }
  }
  return { guards, texts: Object.fromEntries(texts), problems };
}
