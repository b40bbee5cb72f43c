/**
 * What is inspected of a value of a body that has a Content-Encoding: servers that ignore the header read the bytes
 * verbatim. Values of compressed bodies match rules by chance, so that only text counts, and a part of a value has to be long.
 */
const run = /^[ -~\t\r\n]+$|[ -~\t\r\n]{8,}/g;

/** Bytes from which a part of a value counts. A shorter one needs two dots, or the start of an escape of one. */
const long = 16;
const climb = /\.\.|%[2cefu]/i;

export function textRuns(value: string): readonly string[] {
  const runs = value.match(run) ?? [];
  return runs.filter((text) => text === value || text.length >= long || climb.test(text));
}
