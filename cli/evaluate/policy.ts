import defaults from '../../contract/generated/policy.defaults.json' with { type: 'json' };
import type { Policy } from '../../contract/policy/schema.ts';
import { defaultFile, hasDefaultFile } from '../input/source.ts';
import type { Context } from '../program/context.ts';
import type { TestOptions } from './options.ts';

interface NamedPolicy {
  readonly policy: Policy;
  /** Path of the policy file. Null when the default policy applies. */
  readonly name: string | null;
}

/**
 * Returns the policy of the file, or the default one with `checkQuery` on. Imports the loader only for a file, because
 * the loader imports the whole schema.
 */
async function basePolicy(config: string | undefined, context: Context): Promise<NamedPolicy> {
  if (config === undefined && !hasDefaultFile(context))
    return { policy: { ...(defaults as unknown as Policy), checkQuery: true }, name: null };
  const { readPolicy } = await import('../input/policy.ts');
  const { policy, name } = await readPolicy(config ?? defaultFile, context);
  return { policy, name };
}

const flagValue = (text: 'true' | 'false' | undefined, otherwise: boolean): boolean =>
  text === undefined ? otherwise : text === 'true';

export async function policyFor(
  { config, checkQuery, checkBody }: TestOptions,
  context: Context,
): Promise<NamedPolicy> {
  const { policy, name } = await basePolicy(config, context);
  const inspected = {
    checkQuery: flagValue(checkQuery, policy.checkQuery),
    checkBody: flagValue(checkBody, policy.checkBody),
  };
  return { policy: { ...policy, ...inspected }, name };
}
