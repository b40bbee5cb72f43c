/** The row of a ban in the store. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { formatPrefix } from '../address/prefix.ts';
import { isDateMs } from '../time/date.ts';
import { isEvidence } from './evidence.ts';
import { type BanRecord, isOrigin } from './records.ts';

/** Times are milliseconds since the epoch. `expiresAt` null: permanent. `rememberedUntil` null: for ever. */
export type Row = readonly [
  ip: string,
  reason: string,
  service: string | null,
  origin: string,
  bannedAt: number,
  expiresAt: number | null,
  level: number,
  rememberedUntil: number | null,
  evidence: string | null,
];

export const timeOrInfinity = (time: number | null): number => time ?? Number.POSITIVE_INFINITY;
const timeOrNull = (time: number): number | null => (time === Number.POSITIVE_INFINITY ? null : Math.ceil(time));

/** @param evidence lines of the ban, or null */
export function toRow(record: BanRecord, evidence: string | null = null): Row {
  const { prefix, reason, service, origin, bannedAt, expiresAt, level, rememberedUntil } = record;
  const times = [timeOrNull(expiresAt), level, timeOrNull(rememberedUntil)] as const;
  return [formatPrefix(prefix), reason, service, origin, Math.floor(bannedAt), ...times, evidence];
}

const mostLevel = 65_535;

const isTime = (value: unknown): value is number => Number.isInteger(value) && isDateMs(value);
const isTimeOrNull = (value: unknown): value is number | null => value === null || isTime(value);
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= daemonBounds.banReasonBytes;

/** Whether the daemon could have written the row. The caller checks the address. */
export function isRow(row: readonly unknown[]): row is Row {
  const [ip, reason, service, origin, bannedAt, expiresAt, level, rememberedUntil, evidence] = row;
  const isNamed = isText(ip) && isText(reason) && (service === null || isText(service)) && isEvidence(evidence);
  const isTimed = isTime(bannedAt) && isTimeOrNull(expiresAt) && isTimeOrNull(rememberedUntil);
  return isNamed && isTimed && isOrigin(origin as string) && isTime(level) && level >= 0 && level <= mostLevel;
}
