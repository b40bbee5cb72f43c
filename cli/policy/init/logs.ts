/** Finds the applications of access logs, whose profiles `init` writes into the policy. */
import { ApplicationMarks, type FoundApplication } from '../../../logs/access/applications.ts';
import { LogParser } from '../../../logs/access/parser.ts';
import { replayBounds } from '../../counting/bounds.ts';
import { readLines } from '../../input/log-lines.ts';
import type { Context } from '../../program/context.ts';

/** @throws UsageError when a log cannot be read */
export async function applicationsIn(logs: readonly string[], context: Context): Promise<readonly FoundApplication[]> {
  const marks = new ApplicationMarks();
  for (const log of logs) {
    const parser = new LogParser();
    for await (const lines of readLines(log, replayBounds.lineBytes, context))
      for (const { text, isCut } of lines) {
        const logged = isCut ? undefined : parser.parse(text);
        if (typeof logged === 'object') marks.add(logged);
      }
  }
  return marks.without({ applications: [] });
}
