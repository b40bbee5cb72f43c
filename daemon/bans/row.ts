/** A ban as the store keeps it. */
import type { BanRecord } from './records.ts';
import { formatPrefix } from './words.ts';

/** Address, reason, service, origin, banned at, expires at (null: never), level, remembered until (null: never forgotten). */
export type Row = readonly [
  ip: string,
  reason: string,
  service: string | null,
  origin: string,
  bannedAt: number,
  expiresAt: number | null,
  level: number,
  rememberedUntil: number | null,
];

export const endOf = (time: number | null): number => time ?? Number.POSITIVE_INFINITY;
const textOf = (time: number): number | null => (time === Number.POSITIVE_INFINITY ? null : Math.ceil(time));

export function toRow(record: BanRecord): Row {
  const { prefix, reason, service, origin, bannedAt, expiresAt, level, rememberedUntil } = record;
  const times = [textOf(expiresAt), level, textOf(rememberedUntil)] as const;
  return [formatPrefix(prefix), reason, service, origin, Math.floor(bannedAt), ...times];
}
