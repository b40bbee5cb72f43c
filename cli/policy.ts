/** The policy a command works with: the file that was named, or guard.json. */
import { loadPolicy } from '../contract/load/policy.ts';
import type { Problem } from '../contract/load/problem.ts';
import type { Policy } from '../contract/policy.ts';
import type { Context } from './context.ts';
import { defaultFile } from './default-file.ts';
import { ConfigError, UsageError } from './errors.ts';
import { readSource } from './source.ts';

export interface LoadedPolicy {
  readonly policy: Policy;
  /** Where it came from, as the user knows it. */
  readonly name: string;
  readonly warnings: readonly Problem[];
}

/** The file that was named in either of two ways, or the default one. */
export function fileOf(argument: string | undefined, config: string | undefined): string {
  if (argument !== undefined && config !== undefined) {
    throw new UsageError('the file is named twice', { code: 'conflict', hint: 'give it as an argument or with -c' });
  }
  return argument ?? config ?? defaultFile;
}

/**
 * Reads and checks a policy.
 * @throws UsageError when the file cannot be read, ConfigError when it is no valid policy
 */
export async function readPolicy(file: string, context: Context): Promise<LoadedPolicy> {
  const { name, bytes } = await readSource(file, context);
  const loaded = loadPolicy(bytes, name);
  if (!loaded.ok) throw new ConfigError(loaded);
  return {
    policy: loaded.value,
    name,
    // Looking for them takes longer than all else, and not every command shows them.
    get warnings() {
      return loaded.warnings;
    },
  };
}
