/**
 * Finds the inspected text in a value of a body that has a Content-Encoding. Servers that ignore the header read its
 * bytes verbatim. Compressed bytes match rules by chance, so only text counts, and only in long runs.
 */
const run = /^[ -~\t\r\n]+$|[ -~\t\r\n]{8,}/g;

/** Minimum length of a run that counts. A shorter run counts if it has two dots, or the start of an escape of a dot. */
const long = 16;
const climb = /\.\.|%[2cefu]/i;

export function textRuns(value: string): readonly string[] {
  const runs = value.match(run) ?? [];
  return runs.filter((text) => text === value || text.length >= long || climb.test(text));
}
