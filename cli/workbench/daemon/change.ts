import { isDeepStrictEqual } from 'node:util';
import type { BanRecord } from '../../../contract/api/records.ts';
import { parseNetwork } from '../../../contract/values/address.ts';
import { parseDuration } from '../../../contract/values/duration.ts';

interface Ban {
  readonly ip: string;
  readonly duration?: string;
  readonly reason?: string;
  readonly replace?: true;
}

export type BanChange =
  | { readonly path: '/ban'; readonly body: Ban }
  | { readonly path: '/unban'; readonly body: { readonly ip: string } };

/**
 * Parses `<address> [duration] [reason]`. A second word that is not a duration begins the reason. Undefined without
 * words.
 */
export function banOf(argument: string): BanChange | undefined {
  const [ip, ...words] = argument.split(/\s+/).filter(Boolean);
  if (ip === undefined) return undefined;
  const hasDuration = parseDuration(words[0] ?? '') !== undefined;
  const reason = words.slice(Number(hasDuration)).join(' ');
  const duration = hasDuration ? { duration: words[0] as string } : {};
  return { path: '/ban', body: { ip, ...duration, ...(reason !== '' && { reason }) } };
}

const isSameNetwork = (one: string, other: string): boolean =>
  isDeepStrictEqual(parseNetwork(one), parseNetwork(other));

/** Returns the change that undoes a change. Undefined for an unban of an address without an enforced ban in `bans`. */
export function undoOf({ path, body: { ip } }: BanChange, bans: readonly BanRecord[]): BanChange | undefined {
  const before = bans.find((ban) => !ban.detected && isSameNetwork(ban.ip, ip));
  if (before) {
    const { remaining: duration, reason } = before;
    return { path: '/ban', body: { ip: before.ip, duration, reason, replace: true } };
  }
  return path === '/ban' ? { path: '/unban', body: { ip } } : undefined;
}
