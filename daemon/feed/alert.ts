/** Own bans as the decision service wants to be told of them. */
import type { Ban } from '../bans/ban.ts';
import { formatGoDuration } from './go-duration.ts';

/** Who decided, in `cscli decisions list`. */
export const ownOrigin = 'guard';

/** A ban without an end: ten years, because a decision has to have one. */
const permanentMs = 10 * 365 * 24 * 60 * 60 * 1000;
/** What the service's database takes for a text. */
const longestText = 255;

/** `Ip` and `Range` exactly: other spellings are accepted by some releases and never served. */
const scopeOf = (ip: string) => (ip.includes('/') ? 'Range' : 'Ip');

/** An alert that is already decided. Every field is required by some release. */
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
    decisions: [{ ...source, origin: ownOrigin, type: 'ban', duration, scenario }],
  };
}

/** Path and query that delete what was decided for a ban, and leave what others decided about the address. */
export const deletionOf = ({ ip }: Ban): string =>
  `decisions?${new URLSearchParams({ value: ip, type: 'ban', origin: ownOrigin })}`;
