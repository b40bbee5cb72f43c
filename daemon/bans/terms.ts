/** How long a ban lasts. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import type { BanRequest } from './ban.ts';
import { type BanRecord, type BanState, isDetected } from './records.ts';

interface Terms {
  /** Milliseconds of a first ban. Infinity: permanent. */
  readonly durationOf: (service: string | undefined) => number;
  readonly growth: number;
  readonly memoryMs: number;
}

const msOf = (text: string): number => parseDuration(text) ?? 0;

export const termsOf = ({ global, services }: Daemon): Terms => ({
  durationOf: (service) => msOf(services[service ?? '']?.ban_duration ?? global.ban_duration),
  growth: global.ban_growth,
  memoryMs: msOf(global.ban_memory),
});

const clampDuration = (ms: number): number =>
  ms === Number.POSITIVE_INFINITY ? ms : Math.max(1, Math.min(ms, daemonBounds.banMs));

const noState: BanState = { expiresAt: 0, level: 0, rememberedUntil: 0 };

/**
 * The state of an address after one more ban. A ban with an explicit duration does not count for growth. Neither does a
 * second ban while the address is banned: a burst of failures is one offense.
 */
export function nextState(earlier: BanState = noState, request: BanRequest, terms: Terms, now: number): BanState {
  const isRemembered = earlier.rememberedUntil > now;
  const level = isRemembered ? earlier.level : 0;
  if (request.durationMs !== undefined) {
    const expiresAt = now + clampDuration(request.durationMs ?? Number.POSITIVE_INFINITY);
    return { expiresAt, level, rememberedUntil: isRemembered ? earlier.rememberedUntil : 0 };
  }
  const isSameOffence = level > 0 && earlier.expiresAt > now;
  const next = Math.min(isSameOffence ? level : level + 1, highestLevel);
  const expiresAt = now + clampDuration(terms.durationOf(request.service) * terms.growth ** (next - 1));
  return { expiresAt, level: next, rememberedUntil: Math.max(expiresAt + terms.memoryMs, earlier.rememberedUntil) };
}

/** The state of a detected ban: it lasts as long as a first ban, and lengthens no later one. */
const detectedState = ({ service }: BanRequest, terms: Terms, now: number): BanState => ({
  ...noState,
  expiresAt: now + clampDuration(terms.durationOf(service)),
});

interface Decision {
  readonly state: BanState;
  /** The ban of the address that stays unchanged. Absent: the state replaces it. */
  readonly kept?: BanRecord;
  /** Whether the address would otherwise be banned for a shorter time, or not at all. */
  readonly isLonger: boolean;
  /** Whether only a detected ban is requested for an address whose ban is enforced: nothing is written. */
  readonly isCovered: boolean;
}

/** An enforced ban replaces a detected one. A detected ban replaces no ban that is in force. */
export function decide(
  found: BanRecord | undefined,
  request: BanRequest,
  { terms, onlyDetects, now }: { readonly terms: Terms; readonly onlyDetects: boolean; readonly now: number },
): Decision {
  const existing = found && isDetected(found) && !onlyDetects ? undefined : found;
  const inForce = existing && existing.expiresAt > now ? existing : undefined;
  const state = onlyDetects ? detectedState(request, terms, now) : nextState(existing, request, terms, now);
  const isLonger = inForce === undefined || state.expiresAt > inForce.expiresAt;
  const isCovered = onlyDetects && inForce !== undefined && !isDetected(inForce);
  const kept = isCovered || (!isLonger && !request.replace) ? inForce : undefined;
  return { state, ...(kept && { kept }), isLonger, isCovered };
}

/** The enforced one of two bans of an address, or the longer one. */
export function strongerOf(newer: BanRecord, stored: BanRecord, now: number): BanRecord {
  if (isDetected(newer) === isDetected(stored)) return longerOf(newer, stored, now);
  return isDetected(newer) ? stored : newer;
}

/** The longer of two bans of an address. It gets the higher level that has not expired. */
export function longerOf<State extends BanState>(newer: State, stored: State, now: number): State {
  const both = [newer, stored];
  const remembered = both.filter(({ rememberedUntil }) => rememberedUntil > now);
  return {
    ...(newer.expiresAt >= stored.expiresAt ? newer : stored),
    level: Math.max(0, ...remembered.map(({ level }) => level)),
    rememberedUntil: Math.max(...both.map(({ rememberedUntil }) => rememberedUntil)),
  };
}

/** Bounds the exponent. With the default growth, a ban reaches the longest duration at a much lower level. */
const highestLevel = 60;
