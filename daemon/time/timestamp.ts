/** Times as records have them: RFC 3339, UTC, to the millisecond. */

const millisPerSecond = 1000;
const fraction = '000Z'.length;
let second = Number.NaN;
let upToSecond = '';

/**
 * `now`: milliseconds since the epoch. The part before the fraction is made once a second: the system takes microseconds for
 * it, a tenth of what refusing a connection costs.
 * @throws RangeError where it is no time
 */
export function timestampOf(now: number): string {
  const current = Math.floor(now / millisPerSecond);
  if (current !== second) {
    upToSecond = new Date(current * millisPerSecond).toISOString().slice(0, -fraction);
    second = current;
  }
  const millis = Math.floor(now) - current * millisPerSecond;
  return `${upToSecond}${String(millis).padStart(3, '0')}Z`;
}
