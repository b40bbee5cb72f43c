import assert from 'node:assert/strict';

/** Returns indented comment lines from `first` to the next other line, without indentation. */
export function commentedExample(text: string, first: string): string {
  const lines = text.split('\n').map((line) => /^#(?: {3}(.*))?/.exec(line)?.[1]);
  const start = lines.indexOf(first);
  assert.ok(start >= 0, `no comment has ${first}`);
  const end = lines.findIndex((line, index) => index > start && line === undefined);
  return lines.slice(start, end).join('\n');
}
