/** What is said at the end: the last words of what failed and how to mend it, and the sum of all tests. */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { lastLines } from '../../platform/command.ts';
import { logFile } from './run.ts';
import type { Counts, Outcome } from './task.ts';

const quotedLines = 40;

/** The failure of one task: reason, the end of its log, where the rest is, what to do. */
export function failureText(outcome: Outcome, folder: string, cwd: string): string {
  const { task, reason, hint } = outcome;
  const file = logFile(folder, task);
  const title = `${task.name} failed${reason ? `: ${reason}` : ''}`;
  const said = existsSync(file) ? lastLines(readFileSync(file, 'utf8'), quotedLines) : '';
  const quoted = said === '' ? '' : `${said.replace(/^/gm, '  | ')}\n  all of it: ${relative(cwd, file)}\n`;
  return `\n${title}\n${quoted}  to mend:   ${hint ?? task.mend}\n`;
}

/** A part that was not run counts once, as failed or skipped. */
function countsOf({ state, counts }: Outcome): Counts {
  const skipped = state === 'skipped' || state === 'unavailable';
  return counts ?? { passed: 0, failed: skipped ? 0 : 1, skipped: skipped ? 1 : 0 };
}

export function sum(outcomes: readonly Outcome[]): Counts {
  return outcomes.map(countsOf).reduce(
    (all, one) => ({
      passed: all.passed + one.passed,
      failed: all.failed + one.failed,
      skipped: all.skipped + one.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

export const sumText = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;
