/** Displays the progress of a run: one updated line per running task on a terminal, plain lines elsewhere. */
import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Outcome, State, Task } from './task.ts';

export interface Show {
  readonly started: (task: Task) => void;
  /** Current activity of a running task. The next note replaces it. */
  readonly note: (task: Task, text: string) => void;
  /** Prints a permanent line. */
  readonly announce: (task: Task, text: string) => void;
  readonly ended: (outcome: Outcome) => void;
  /** Stops drawing. */
  readonly close: () => void;
}

export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

const nameWidth = 13;
const line = (task: Task, text: string): string => `${task.name.padEnd(nameWidth)} ${text}`;

/** `4.2 s`, or `1 min 05 s` from a minute on. */
export function duration(ms: number): string {
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  return `${Math.floor(tenths / 600)} min ${String(Math.floor((tenths % 600) / 10)).padStart(2, '0')} s`;
}

const words: Record<State, string> = {
  ready: 'ready',
  done: 'done',
  failed: 'FAILED',
  unavailable: 'not possible here',
  blocked: 'not run',
  skipped: 'skipped',
  interrupted: 'interrupted',
};

function ending({ task, state, counts, reason, elapsedMs }: Outcome): string {
  const details = [
    counts && `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped.length} skipped`,
    reason,
    elapsedMs >= 50 && state !== 'skipped' && state !== 'blocked' && duration(elapsedMs),
  ];
  return line(task, [words[state], ...details.filter(Boolean)].join(', '));
}

/** Tasks that were ready at the start get no line. */
const isQuiet = ({ state, elapsedMs }: Outcome): boolean => state === 'ready' && elapsedMs < 1000;

/** Prints one line when a task starts and one when it ends. */
export function plainShow(screen: Screen): Show {
  return {
    started: (task) => screen.write(`${line(task, task.does)}\n`),
    note: () => undefined,
    announce: (task, text) => screen.write(`${line(task, text)}\n`),
    ended: (outcome) => {
      if (!isQuiet(outcome)) screen.write(`${ending(outcome)}\n`);
    },
    close: () => undefined,
  };
}

const refreshMs = 200;

interface Running {
  readonly since: number;
  note: string;
}

/** Redraws the lines of running tasks at the bottom in place. Lines of ended tasks stay above them. */
export function liveShow(screen: Screen): Show {
  const running = new Map<Task, Running>();
  let drawn = 0;
  const fit = (text: string): string => stripVTControlCharacters(text).slice(0, (screen.columns ?? 80) - 1);
  const draw = (above = ''): void => {
    const erase = drawn > 0 ? `\x1b[${drawn}A\x1b[J` : '';
    const lines = [...running].map(([task, { since, note }]) =>
      fit(line(task, [`${task.does} ${duration(performance.now() - since)}`, note].filter(Boolean).join('  '))),
    );
    screen.write(erase + above + lines.map((text) => `${text}\n`).join(''));
    drawn = lines.length;
  };
  const timer = setInterval(draw, refreshMs).unref();
  return {
    started: (task) => {
      running.set(task, { since: performance.now(), note: '' });
      draw();
    },
    note: (task, text) => {
      const entry = running.get(task);
      if (entry) entry.note = text;
    },
    announce: (task, text) => draw(`${line(task, text)}\n`),
    ended: (outcome) => {
      running.delete(outcome.task);
      draw(isQuiet(outcome) ? '' : `${ending(outcome)}\n`);
    },
    close: () => clearInterval(timer),
  };
}

export function showFor(screen: Screen): Show {
  return screen.isTTY && process.env.TERM !== 'dumb' ? liveShow(screen) : plainShow(screen);
}
