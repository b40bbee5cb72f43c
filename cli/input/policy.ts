/** The policy a command works with: the file that was named, or guard.json. */
import { loadPolicy } from '../../contract/load/policy.ts';
import type { Problem, RefusedFile } from '../../contract/load/problem.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { ConfigError, type GuardError, UsageError } from '../../platform/errors.ts';
import type { Context } from '../program/context.ts';
import { defaultFile, readSource } from './source.ts';

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

/** What to say of a file that is no policy: a good one of the daemon is only in the wrong place. */
async function refusal(bytes: Uint8Array, refused: RefusedFile): Promise<GuardError> {
  const { loadAny } = await import('../../contract/load/any.ts'); // slow to load, and good policies do without
  const { format, loaded } = loadAny(bytes, refused.name);
  if (format !== 'daemon' || !loaded.ok) return new ConfigError(refused);
  return new UsageError(`${refused.name} is a configuration of tcp-guard, not a policy`, {
    code: 'no_policy',
    hint: 'name a guard.json, or see guardcli sandbox tcp-guard and guardcli validate, which take it',
  });
}

/**
 * Reads and checks a policy.
 * @throws UsageError when the file cannot be read or is the daemon's, ConfigError when it is no valid policy
 */
export async function readPolicy(file: string, context: Context): Promise<LoadedPolicy> {
  const { name, bytes } = await readSource(file, context);
  const loaded = loadPolicy(bytes, name);
  if (!loaded.ok) throw await refusal(bytes, loaded);
  return {
    policy: loaded.value,
    name,
    // Looking for them takes longer than all else, and not every command shows them.
    get warnings() {
      return loaded.warnings;
    },
  };
}
