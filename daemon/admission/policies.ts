/** Reads the policies of http services. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { compile, type Guard } from '../../contract/engine/index.ts';
import { loadPolicy, type Problem } from '../../contract/load/index.ts';

export interface Policies {
  /** By path as the configuration gives it. */
  readonly guards: ReadonlyMap<string, Guard>;
  /** By key path of the service. */
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

async function readPolicy(folder: string, path: string): Promise<Guard | string> {
  try {
    const loaded = loadPolicy(await readFile(resolve(folder, path)), path);
    if (loaded.ok) return compile(loaded.value);
    const [first = problemAt('', 'not valid')] = loaded.problems;
    const key = first.path ? `${first.path}: ` : '';
    return `${path}:${first.line}:${first.column}: ${key}${first.message}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Resolves paths relative to `folder`. */
export async function readPolicies({ services }: Daemon, folder: string): Promise<Policies> {
  const guards = new Map<string, Guard>();
  const problems: Problem[] = [];
  for (const [name, { http, enabled }] of Object.entries(services)) {
    if (!enabled || http?.policy === undefined || guards.has(http.policy)) continue;
    const guard = await readPolicy(folder, http.policy);
    if (typeof guard === 'string') problems.push(problemAt(`services.${name}.http.policy`, guard));
    else guards.set(http.policy, guard);
  }
  return { guards, problems };
}
