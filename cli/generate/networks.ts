import type { Policy } from '../../contract/policy/schema.ts';
import { expandPresets, newerPresets } from '../../contract/values/presets.ts';

/** Writes out the presets whose networks are newer than those that the guards of this version have. */
export function withNewerNetworks(policy: Policy): Policy {
  const names = newerPresets().map(({ name }) => name);
  const trustedProxies = policy.trustedProxies.flatMap((text) =>
    names.includes(text) ? expandPresets([text]) : [text],
  );
  return { ...policy, trustedProxies };
}
