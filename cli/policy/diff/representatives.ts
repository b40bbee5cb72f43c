/** Names for all that two policies treat alike, such as methods, so that each needs a request only once. */
import type { Policy } from '../../../contract/policy/schema.ts';

export type Pair = readonly [old: Policy, fresh: Policy];

/** The first name that both policies inspect, the first one that only the old one does, and only the new one. */
export function representatives(
  names: readonly string[],
  policies: Pair,
  inspects: (policy: Policy, name: string) => boolean,
): string[] {
  const first = new Map<string, string>();
  for (const name of names) {
    const way = policies.map((policy) => inspects(policy, name)).join();
    if (!first.has(way)) first.set(way, name);
  }
  first.delete('false,false');
  return [...first.values()];
}
