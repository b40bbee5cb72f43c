/**
 * Displays a run. On a terminal, a line for each running task is updated in place. Elsewhere a task that lasts gets
 * another line from time to time, so that silence does not look like a program that hangs.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Writable } from 'node:stream';
import { lastLines } from '../../platform/command.ts';
import { type Counts, logFile, type Outcome, type Skip, type State, type Task } from './task.ts';

export interface Show {
  readonly started: (task: Task) => void;
  /** Output of a running task. A terminal shows its last line. */
  readonly note: (task: Task, text: string) => void;
  /** Prints a line that stays on the screen. */
  readonly announce: (task: Task, text: string) => void;
  readonly ended: (outcome: Outcome) => void;
}

export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

const nameWidth = 13;
const pipeWidth = 120;
const refreshMs = 200;
const signMs = 1000;
const firstSignMs = 5000;
const line = (task: Task, text: string): string => `${task.name.padEnd(nameWidth)} ${text}`;

export function durationText(ms: number): string {
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  return `${Math.floor(tenths / 600)} min ${String(Math.floor((tenths % 600) / 10)).padStart(2, '0')} s`;
}

/** The words for a task that ran, and for a task whose dependency is not done. */
const wordsOfState: Record<State, readonly [string, string]> = {
  done: ['done', 'done'],
  failed: ['FAILED', 'not run'],
  unavailable: ['not possible here', 'skipped'],
  interrupted: ['interrupted', 'interrupted'],
};

function endingText({ task, state, counts, reason, elapsedMs }: Outcome): string {
  const details = [
    counts && `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped.length} skipped`,
    reason,
    elapsedMs !== undefined && elapsedMs >= 50 && durationText(elapsedMs),
  ];
  return line(task, [wordsOfState[state][elapsedMs === undefined ? 1 : 0], ...details.filter(Boolean)].join(', '));
}

/** Returns when a task that has run for `elapsedMs` gets its next line: pauses grow with it, so that logs stay short. */
export const nextSignMs = (elapsedMs: number): number => elapsedMs + Math.max(firstSignMs, elapsedMs / 4);

interface Running {
  readonly since: number;
  note: string;
  /** When it gets the next line, in milliseconds since its start. */
  signAt: number;
}

const runningText = (task: Task, { since, note }: Running): string =>
  line(task, `${task.does} ${durationText(performance.now() - since)}  ${lastLines(note, 1)}`.trimEnd());

export function createShow(screen: Screen): Show {
  const running = new Map<Task, Running>();
  const isLive = screen.isTTY && process.env.TERM !== 'dumb';
  const cut = (text: string): string => `${text.slice(0, (screen.columns ?? pipeWidth) - 1)}\n`;
  let drawn = 0;
  /** Redraws the lines of running tasks in place. The text stays above them. */
  const draw = (above = ''): void => {
    const erase = drawn > 0 ? `\x1b[${drawn}A\x1b[J` : '';
    const lines = [...(isLive ? running : [])].map(([task, entry]) => cut(runningText(task, entry)));
    screen.write(erase + above + lines.join(''));
    drawn = lines.length;
  };
  const sign = (): void => {
    for (const [task, entry] of running) {
      const elapsed = performance.now() - entry.since;
      if (elapsed < entry.signAt) continue;
      entry.signAt = nextSignMs(elapsed);
      draw(cut(runningText(task, entry)));
    }
  };
  const announce = (task: Task, text: string): void => draw(`${line(task, text)}\n`);
  setInterval(isLive ? draw : sign, isLive ? refreshMs : signMs).unref();
  return {
    announce,
    started: (task) => {
      running.set(task, { since: performance.now(), note: '', signAt: firstSignMs });
      if (isLive) draw();
      else announce(task, task.does);
    },
    note: (task, text) => {
      const entry = running.get(task);
      if (entry && text.trim() !== '') entry.note = text;
    },
    ended: (outcome) => {
      running.delete(outcome.task);
      // A task that was already done gets no line.
      if (outcome.state !== 'done' || outcome.elapsedMs !== undefined) draw(`${endingText(outcome)}\n`);
    },
  };
}

const mostQuotedLines = 40;

/** Describes the failure of one task: reason, end and path of its log, and the fix. */
export function failureText({ task, reason, hint }: Outcome, folder: string, cwd: string): string {
  const file = logFile(folder, task);
  const title = `${task.name} failed${reason ? `: ${reason}` : ''}`;
  const logEnd = existsSync(file) ? lastLines(readFileSync(file, 'utf8'), mostQuotedLines) : '';
  const quoted = logEnd === '' ? '' : `${logEnd.replace(/^/gm, '  | ')}\n  full log: ${relative(cwd, file)}\n`;
  return `\n${title}\n${quoted}  to fix:   ${hint ?? task.fix}\n`;
}

/** Returns the counts of a task. A suite without counts is one failed or skipped test. */
export function countsOf({ task, state, counts, reason = '' }: Outcome): Counts {
  const isSkipped = state === 'unavailable';
  const all = isSkipped ? [{ name: 'all tests', reason }] : [];
  const { passed, failed, skipped } = counts ?? { passed: 0, failed: isSkipped ? 0 : 1, skipped: all };
  return {
    passed,
    failed,
    skipped: skipped.map(({ name, reason: why }) => ({ name: `${task.name}: ${name}`, reason: why })),
  };
}

export function skipsText(skipped: readonly Skip[]): string {
  const byReason = Map.groupBy(skipped, ({ reason }) => reason);
  return [...byReason]
    .map(([reason, skips]) => `\nskipped: ${reason}\n${skips.map(({ name }) => `  ${name}\n`).join('')}`)
    .join('');
}
