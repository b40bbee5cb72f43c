import { dirname, resolve } from 'node:path';
import { loadPolicy } from '../../contract/load/policy.ts';
import type { Loaded, Problem } from '../../contract/load/problem.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { loadPresetFile } from '../../daemon/lists/preset-file.ts';
import { warningsOf } from '../../engine/warnings.ts';
import { ConfigError, UsageError } from '../../platform/errors.ts';
import type { Context } from '../program/context.ts';
import { defaultFile, readSource, type Source, stdinName } from './source.ts';

export interface LoadedPolicy {
  readonly policy: Policy;
  /** Name of the file for messages, as the user wrote it, or `<stdin>`. */
  readonly name: string;
  readonly warnings: readonly Problem[];
}

/** Returns the file of a command from its argument or --config. @throws UsageError when both name a file */
export function fileOf(argument: string | undefined, config: string | undefined): string {
  if (argument !== undefined && config !== undefined) {
    throw new UsageError('the file is given twice', {
      code: 'conflict',
      hint: 'pass it as an argument or with -c, not both',
    });
  }
  return argument ?? config ?? defaultFile;
}

/**
 * Loads a policy. Only `guardcli` accepts YAML; the guards read JSON.
 * @throws UsageError for a configuration of tcp-guard
 */
export async function loadJsonOrYaml(bytes: Uint8Array, name: string): Promise<Loaded<Policy>> {
  const json = loadPolicy(bytes, name);
  if (json.ok) return json;
  const { loadAny } = await import('../../contract/load/any.ts'); // slow to load, and JSON does not need it
  const { format, loaded } = loadAny(bytes, name);
  if (format === 'policy') return loaded;
  if (!loaded.ok) return loaded;
  throw new UsageError(`${name} is a configuration of tcp-guard, not a policy`, {
    code: 'no_policy',
    hint: 'pass a guard.json, or use the file with guardcli sandbox tcp-guard or guardcli validate',
  });
}

/** The folder of a file, which may have newer networks of presets. */
export const folderOf = (file: string, { cwd }: Context): string =>
  file === stdinName ? cwd : dirname(resolve(cwd, file));

/**
 * Reads and checks a policy.
 * @param source content that was already read
 * @throws UsageError for the file, ConfigError for the policy
 */
export async function readPolicy(file: string, context: Context, source?: Source): Promise<LoadedPolicy> {
  const { name, bytes } = source ?? (await readSource(file, context));
  loadPresetFile(folderOf(file, context));
  const loaded = await loadJsonOrYaml(bytes, name);
  if (!loaded.ok) throw new ConfigError(loaded);
  return {
    policy: loaded.value,
    name,
    // Computing warnings takes longer than everything else, and not every command prints them.
    get warnings() {
      return warningsOf(loaded);
    },
  };
}
