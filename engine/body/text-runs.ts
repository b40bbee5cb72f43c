/**
 * Finds the inspected text in a body that has a Content-Encoding. Compressed bytes match rules by chance, so most short
 * runs of text are not inspected.
 */
const runPattern = /^[ -~\t\r\n]+$|[ -~\t\r\n]{8,}/g;

/**
 * A run of fewer bytes is inspected only if it is the whole value, or contains `..` or the start of an escape that can
 * decode to a dot.
 */
const longRun = 16;
const climbPattern = /\.\.|%[2cefu]/i;

export function textRuns(value: string): readonly string[] {
  const runs = value.match(runPattern) ?? [];
  return runs.filter((text) => text === value || text.length >= longRun || climbPattern.test(text));
}
