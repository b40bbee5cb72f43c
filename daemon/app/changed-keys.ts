import { isDeepStrictEqual } from 'node:util';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { PolicyTexts } from '../admission/policies.ts';

const keysOf = (a: object, b: object): string[] => [...new Set([...Object.keys(a), ...Object.keys(b)])];

function changesIn(name: string, before: unknown, after: unknown): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  const isSection = [before, after].every(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  );
  if (!isSection) return [name];
  const [from, to] = [before, after] as Record<string, unknown>[];
  return keysOf(from as object, to as object)
    .filter((key) => !isDeepStrictEqual(from?.[key], to?.[key]))
    .map((key) => `${name}.${key}`);
}

/** The changed keys, such as `global.log_level` or `services.ssh`. */
export function changedKeys(before: Daemon, after: Daemon): string[] {
  return keysOf(before, after).flatMap((name) =>
    changesIn(name, before[name as keyof Daemon], after[name as keyof Daemon]),
  );
}

/** Returns the `policy` keys of unchanged services with a changed policy file. */
export function changedPolicies(before: Daemon, after: Daemon, from: PolicyTexts, to: PolicyTexts): string[] {
  return Object.entries(after.services)
    .filter(([name, { http: { policy = '' } = {} }]) => {
      return isDeepStrictEqual(before.services[name], after.services[name]) && from[policy] !== to[policy];
    })
    .map(([name]) => `services.${name}.http.policy`);
}

const keysReadAtStart = ['global.data_dir', 'global.data_plane', 'global.workers', 'bans.kernel', 'bans.scope'];

export const keysThatNeedRestart = (changed: readonly string[]): string[] =>
  changed.filter((key) => keysReadAtStart.includes(key));
