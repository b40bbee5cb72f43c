/** Selects representatives of names that two policies treat alike, such as methods. */
import type { Policy } from '../../../contract/policy/schema.ts';

export type Pair = readonly [old: Policy, fresh: Policy];

/**
 * Returns the first name of each kind, at most three: inspected by both policies, only by the old one, and only by the
 * new one.
 */
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
