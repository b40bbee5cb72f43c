/** Parses and formats durations: `30s`, `4h`, `1h30m`, `7d`, `permanent`. */

const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
const unitEntries = Object.entries(units);

/** Matches each unit at most once, from the longest to the shortest. Nine digits of days exceed every bound. */
const form =
  /^(?=\d)(?:(?<d>\d{1,9})d)?(?:(?<h>\d{1,9})h)?(?:(?<m>\d{1,9})m(?!s))?(?:(?<s>\d{1,9})s)?(?:(?<ms>\d{1,9})ms)?$/;

export const permanent = 'permanent';

/** Returns the milliseconds of a duration: Infinity for `permanent`, undefined for an invalid text. */
export function parseDuration(text: string): number | undefined {
  if (text === permanent) return Number.POSITIVE_INFINITY;
  const parts = form.exec(text)?.groups;
  if (!parts) return undefined;
  return unitEntries.reduce((sum, [unit, ms]) => sum + Number(parts[unit] ?? 0) * ms, 0);
}

/** Matches one number with a unit in words, such as `10 min` and `1 week`. A number alone is in seconds. */
const wordForm =
  /^(?<amount>\d{1,9}) ?(?:s?|(?<s>sec(?:ond)?s?)|(?<m>m|min(?:ute)?s?)|(?<h>h|hrs?|hours?)|(?<d>d|days?)|(?<w>w|weeks?))$/i;

/** Returns the duration that a text in another form probably means, such as `10m` for `10 min`, or undefined. */
export function meantDuration(text: string): string | undefined {
  const { amount, m, h, d, w } = wordForm.exec(text)?.groups ?? {};
  if (amount === undefined) return undefined;
  if (w !== undefined) return `${Number(amount) * 7}d`;
  return `${amount}${m ? 'm' : h ? 'h' : d ? 'd' : 's'}`;
}

/** Formats a duration in whole seconds, rounded up, such as `3h59m12s`. Does not accept Infinity. */
export function formatDuration(ms: number): string {
  let rest = Math.ceil(ms / units.s) * units.s;
  let text = '';
  for (const [unit, length] of unitEntries) {
    const amount = Math.floor(rest / length);
    if (amount > 0) text += `${amount}${unit}`;
    rest -= amount * length;
  }
  return text || '0s';
}
