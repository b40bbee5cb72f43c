/** A node:test reporter that prints one line for the task runner: passed, failed and skipped tests with reasons. */
import type { EventData } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import type { Counts, Skip } from '../tasks/task.ts';

/** Prefix of the line. */
const mark = '@tests ';

// biome-ignore lint/style/noDefaultExport: `node --test` takes the default export of a reporter.
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const skipped: Skip[] = [];
  for await (const { type, data } of events) {
    if (type === 'test:pass' && data.skip !== undefined) {
      skipped.push({ name: data.name, reason: String(data.skip === true ? 'no reason is given' : data.skip) });
    }
    // The summary of the whole run has no file.
    if (type === 'test:summary' && data.file === undefined)
      yield `\n${mark}${JSON.stringify(countsOf(data, skipped))}\n`;
  }
}

function countsOf({ counts }: EventData.TestSummary, skipped: readonly Skip[]): Counts {
  // @types/node 26.6 lacks this count.
  const { passed, failed, cancelled } = counts as typeof counts & { failed: number };
  return { passed, failed: failed + cancelled, skipped };
}

/** The counts in the output of a run. Undefined: the run ended before its summary. */
export function readCounts(output: string): Counts | undefined {
  const line = output.split('\n').findLast((text) => text.startsWith(mark));
  return line === undefined ? undefined : JSON.parse(line.slice(mark.length));
}
