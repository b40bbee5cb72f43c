/** Durations in Go's format: `3h59m57.2s`, `-2.870905ms`, `0s`. */

const unitMs = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 1e-3, µs: 1e-3, μs: 1e-3, ns: 1e-6 } as const;

/** The longest text, in characters. Every duration of Go is shorter. */
const longestText = 64;
/** Go counts nanoseconds in 63 bits. The end of a longer decision would not be a valid date. */
const longestMs = 2 ** 63 / 1e6;
const durationForm = /^([+-]?)((?:\d+(?:\.\d*)?(?:h|ms|m|s|us|µs|μs|ns))+)$/;
const partForm = /(\d+(?:\.\d*)?)(h|ms|m|s|us|µs|μs|ns)/g;

/** Returns milliseconds, negative for the past. Undefined when `text` is not a duration. */
export function parseGoDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, sign, parts] = (text.length <= longestText && durationForm.exec(text)) || [];
  if (parts === undefined) return undefined;
  let ms = 0;
  for (const [, amount, unit] of parts.matchAll(partForm)) ms += Number(amount) * unitMs[unit as keyof typeof unitMs];
  if (ms > longestMs) return undefined;
  return sign === '-' ? -ms : ms;
}

/** Formats a duration in whole seconds, at least one second. Every release of CrowdSec accepts this form. */
export const formatGoDuration = (ms: number): string => `${Math.max(1, Math.round(ms / 1000))}s`;
