/** The daemon's bans in the format of the LAPI. */
import type { Ban } from '../bans/ban.ts';
import type { Decision } from './feed.ts';
import { formatGoDuration } from './go-duration.ts';

const ownOrigin = 'guard';

/**
 * Origins of decisions that an operator has made (pkg/types/constants.go of CrowdSec), and of those that a tcp-guard pushed, which
 * spares edges itself.
 */
const byHand: ReadonlySet<string> = new Set(['cscli', 'cscli-import', 'console', ownOrigin]);
export const isByHand = (origin: string): boolean => byHand.has(origin);

/** Whether CrowdSec has made a decision by the logs that it reads. */
export const isOfLogs = (origin: string): boolean => origin === 'crowdsec';
const ownType = 'ban';

/** The length of a permanent ban: ten years, because every decision needs an end. */
const permanentMs = 10 * 365 * 24 * 60 * 60 * 1000;
/** The limit of text columns in the database of the LAPI. */
const longestText = 255;

/** The scope must be exactly `Ip` or `Range`: some releases accept other spellings but never serve the decision. */
const scopeOf = (ip: string) => (ip.includes('/') ? 'Range' : 'Ip');

/** An alert with one decision. Each field is required by at least one release. */
export function alertOf(ban: Ban, now: number): unknown {
  const source = { scope: scopeOf(ban.ip), value: ban.ip };
  const scenario = `${ownOrigin}/${ban.service ?? ban.origin}`;
  const at = new Date(now).toISOString();
  const duration = formatGoDuration(ban.expiresAt === null ? permanentMs : ban.expiresAt - now);
  return {
    scenario,
    scenario_hash: '',
    scenario_version: '',
    message: ban.reason.slice(0, longestText),
    events_count: 1,
    start_at: at,
    stop_at: at,
    capacity: 0,
    leakspeed: '',
    simulated: false,
    events: [],
    source,
    decisions: [{ ...source, origin: ownOrigin, type: ownType, duration, scenario }],
  };
}

/** The path and query that delete the decision of origin `guard` on an address. Decisions of other origins stay. */
export const deletionOf = ({ ip }: Ban): string =>
  `decisions?${new URLSearchParams({ value: ip, type: ownType, origin: ownOrigin })}`;

export const isDeletable = ({ origin, type }: Decision): boolean => origin === ownOrigin && type === ownType;
