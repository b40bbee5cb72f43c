/** Finds when a line of a log was written. */
import { parseObject } from './access/json.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const dayMs = 86_400_000;

interface Time {
  readonly year?: string;
  /** A number, or an English name. */
  readonly month: string;
  readonly day: string;
  readonly time: string;
  /** Absent: the zone of this machine. */
  readonly zone?: string;
}

/** Text before a request line or a message, so that no client writes it. `[^"]*` is greedy: a user may contain a time. */
const forms: readonly RegExp[] = [
  // Common Log Format of nginx, Apache, Traefik and Gitea
  /^[^"]*\[(?<day>\d\d)\/(?<month>[A-Z][a-z]{2})\/(?<year>\d{4}):(?<time>\d\d:\d\d:\d\d) (?<zone>[+-]\d{4})\] "/,
  // RFC 3339, in syslog, Exim and others
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[T ](?<time>\d\d:\d\d:\d\d(?:\.\d{1,9})?)(?<zone>Z|[+-]\d\d:?\d\d)?(?![0-9])/,
  // syslog, and Dovecot: no year
  /^(?<month>[A-Z][a-z]{2}) (?<day>[ \d]?\d) (?<time>\d\d:\d\d:\d\d) /,
  // vsftpd, and Apache's error log
  /^\[?[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d(?:\.\d{1,6})?) (?<year>\d{4})[\] ]/,
  // nginx's error log
  /^(?<year>\d{4})\/(?<month>\d\d)\/(?<day>\d\d) (?<time>\d\d:\d\d:\d\d) /,
];

/** Members with the time in a log in JSON, in order of preference. */
const members = [
  'StartUTC',
  'ts',
  'time',
  'timestamp',
  '@timestamp',
  'time_iso8601',
  'time_local',
  'msec',
  'Timestamp', // Jellyfin
  't', // MongoDB: {"$date":"…"}
];

function inYear({ month, day, time, zone }: Time, year: number): number {
  const number = months.includes(month) ? months.indexOf(month) + 1 : Number(month);
  const [hour, minute, second] = time.split(':').map(Number) as [number, number, number];
  const local = new Date(year, number - 1, Number(day), hour, minute, 0, 0).getTime() + second * 1000;
  if (zone === undefined) return local;
  return Date.parse(
    `${year}-${String(number).padStart(2, '0')}-${day.trim().padStart(2, '0')}T${time.slice(0, 12)}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`,
  );
}

/** Without a year, the newest one that is not more than a day in the future: clocks of other hosts can be ahead. */
function millisecondsOf(time: Time, now: number): number {
  if (time.year !== undefined) return inYear(time, Number(time.year));
  const year = new Date(now + dayMs).getFullYear();
  const newest = inYear(time, year);
  return newest > now + dayMs ? inYear(time, year - 1) : newest;
}

function ofText(text: string, now: number): number | undefined {
  const seconds = /^(\d{10}): /.exec(text)?.[1]; // Mosquitto
  if (seconds !== undefined) return Number(seconds) * 1000;
  for (const form of forms) {
    const found = form.exec(text)?.groups as Time | undefined;
    const at = found && millisecondsOf(found, now);
    if (at !== undefined && !Number.isNaN(at)) return at;
  }
  return undefined;
}

/** A number is seconds or milliseconds since the epoch. */
function ofValue(value: unknown, now: number): number | undefined {
  if (typeof value === 'object' && value !== null && '$date' in value && typeof value.$date === 'string')
    return ofText(value.$date, now);
  if (typeof value === 'number') return value < 1e11 ? value * 1000 : value;
  if (typeof value !== 'string') return undefined;
  return /^\d{9,13}(?:\.\d+)?$/.test(value)
    ? ofValue(Number(value), now)
    : (ofText(value, now) ?? ofText(`[${value}] "`, now));
}

/**
 * Returns milliseconds since the epoch, or undefined for a line without a time in a known form.
 * @param now the newest plausible time, for lines without a year
 */
export function timeOf(line: string, now: number): number | undefined {
  const object = parseObject(line);
  if (object === undefined) return ofText(line, now);
  return ofValue(object[members.find((name) => object[name] !== undefined) ?? ''], now);
}
