/** Bans and decisions in the format of the API. */
import type * as z from 'zod/mini';
import type { BanRecord, ExemptionRecord, Lists } from '../../contract/api/records.ts';
import { formatDuration, permanent } from '../../contract/values/duration.ts';
import type { Ban } from '../bans/ban.ts';
import type { Exemption } from '../bans/exemptions.ts';
import type { Decision } from '../feed/feed.ts';
import type { ListState } from '../lists/index.ts';
import type { DaemonControl } from './daemon-control.ts';

/** Formats a time as RFC 3339 in UTC. */
export const timeText = (ms: number): string => new Date(ms).toISOString();
const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timeText(ms));

const remainingText = (expiresAt: number | null, now: number): string =>
  expiresAt === null ? permanent : formatDuration(Math.max(0, expiresAt - now));

export function toBanRecord(ban: Ban, now: number): BanRecord {
  const { ip, reason, service, origin, bannedAt, expiresAt, isDetected, evidence = [] } = ban;
  return {
    ip,
    reason,
    service,
    origin,
    banned_at: timeText(bannedAt),
    expires_at: timeOrNull(expiresAt),
    remaining: remainingText(expiresAt, now),
    ...(isDetected && { detected: true }),
    ...(evidence.length > 0 && { evidence: [...evidence] }),
  };
}

export function toExemptionRecord({ ip, reason, allowedAt, expiresAt }: Exemption, now: number): ExemptionRecord {
  return {
    ip,
    reason,
    allowed_at: timeText(allowedAt),
    expires_at: timeText(expiresAt),
    remaining: remainingText(expiresAt, now),
  };
}

export function toDecisionRecord({ ip, type, origin, scenario, expiresAt }: Decision, now: number): BanRecord {
  return {
    ip,
    reason: `${type}: ${scenario} (${origin})`,
    service: null,
    origin: 'crowdsec',
    banned_at: null,
    expires_at: timeText(expiresAt),
    remaining: remainingText(expiresAt, now),
  };
}

export function toListRecord(state: ListState): z.output<typeof Lists>[number] {
  const { readAt, ownNetworks, tooWide, ...rest } = state;
  return { ...rest, own_networks: ownNetworks, too_wide: tooWide, read_at: timeOrNull(readAt) };
}

/** The uptime. At least 0, because the clock may be set back. */
export const uptimeSeconds = ({ startedAt }: DaemonControl, now: number): number =>
  Math.max(0, Math.floor((now - startedAt) / 1000));
