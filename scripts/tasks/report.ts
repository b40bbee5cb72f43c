/**
 * Text at the end of a run: failures with the end of their output and a fix, skipped tests, and the sum of all tests.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { lastLines } from '../../platform/command.ts';
import { logFile } from './run.ts';
import type { Counts, Outcome, Skip } from './task.ts';

const quotedLines = 40;

/** The failure of one task: reason, the end of its log, the path of the log, and the fix. */
export function failureText(outcome: Outcome, folder: string, cwd: string): string {
  const { task, reason, hint } = outcome;
  const file = logFile(folder, task);
  const title = `${task.name} failed${reason ? `: ${reason}` : ''}`;
  const said = existsSync(file) ? lastLines(readFileSync(file, 'utf8'), quotedLines) : '';
  const quoted = said === '' ? '' : `${said.replace(/^/gm, '  | ')}\n  full log: ${relative(cwd, file)}\n`;
  return `\n${title}\n${quoted}  to fix:   ${hint ?? task.fix}\n`;
}

/** A suite that did not run counts as one failed or skipped test. */
function countsOf({ state, counts, reason = '' }: Outcome): Counts {
  if (counts) return counts;
  const isSkipped = state === 'skipped' || state === 'unavailable';
  return { passed: 0, failed: isSkipped ? 0 : 1, skipped: isSkipped ? [{ name: 'all tests', reason }] : [] };
}

/** The sum of all suites. Names of skipped tests start with the name of their suite. */
export function sum(outcomes: readonly Outcome[]): Counts {
  const each = outcomes.map((outcome) => ({ suite: outcome.task.name, ...countsOf(outcome) }));
  const total = (key: 'passed' | 'failed'): number => each.reduce((all, counts) => all + counts[key], 0);
  const skipped = each.flatMap(({ suite, skipped: skips }) =>
    skips.map(({ name, reason }) => ({ name: `${suite}: ${name}`, reason })),
  );
  return { passed: total('passed'), failed: total('failed'), skipped };
}

export const sumText = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped.length} skipped`;

/** Every skipped test, grouped by reason. */
export function skipsText(skipped: readonly Skip[]): string {
  const byReason = Map.groupBy(skipped, ({ reason }) => reason);
  return [...byReason]
    .map(([reason, skips]) => `\nskipped: ${reason}\n${skips.map(({ name }) => `  ${name}\n`).join('')}`)
    .join('');
}
