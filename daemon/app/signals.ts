/**
 * Signals are caught from the first statement on, and obeyed once the daemon is ready. This file loads nothing else: what
 * it loads would come before its first statement.
 */
import type { RunningDaemon } from './daemon.ts';

type Action = 'reload' | 'reopen' | 'end';

const actions: readonly (readonly [NodeJS.Signals, Action])[] = [
  ['SIGHUP', 'reload'],
  ['SIGUSR1', 'reopen'],
  ['SIGTERM', 'end'],
  ['SIGINT', 'end'],
];

/** Actions that were requested before the daemon was ready: each once. */
const kept = new Set<Action>();

let handle = (action: Action): void => {
  if (action === 'end' && kept.has('end')) process.exit(1); // a second signal does not wait
  kept.add(action);
};

/** Closes a debugger that SIGUSR1 opened before it was caught. The first line of start.ts keeps it from listening. */
function closeInspector(): void {
  if (process.execArgv.some((arg) => arg.startsWith('--inspect'))) return;
  const inspector = process.getBuiltinModule('node:inspector');
  if (inspector.url() !== undefined) inspector.close();
}

/** The first statement of the program. */
export function catchSignals(): void {
  for (const [signal, action] of actions) process.on(signal, () => handle(action));
  closeInspector();
}

/** For commands that end by themselves: signals have their default effect again. */
export function releaseSignals(): void {
  for (const [signal] of actions) process.removeAllListeners(signal);
  if (kept.has('end')) process.exit(1);
}

/** Whether a signal ended the daemon before it was ready. */
export const isEndAsked = (): boolean => kept.has('end');

function reload(daemon: RunningDaemon): void {
  daemon.audit.reopen();
  daemon.reload().then(
    (outcome) => {
      if (!outcome.ok) return;
      process.stderr.write(`tcp-guard: configuration applied: ${outcome.changed.join(', ') || 'as before'}\n`);
      for (const problem of outcome.problems) process.stderr.write(`tcp-guard: problem: ${problem}\n`);
    },
    (error: Error) => daemon.audit.fault(`reload: ${error.stack}`),
  );
}

/** Ends by itself once nothing is open; a second signal does not wait. */
function end(daemon: RunningDaemon): () => void {
  let isEnding = false;
  return () => {
    if (isEnding) process.exit(1);
    isEnding = true;
    void daemon.close().finally(() => process.exit(0));
  };
}

/** Carries out what was requested during the start, and obeys signals from now on. A daemon that is to end does nothing else. */
export function handleSignals(daemon: RunningDaemon): void {
  closeInspector();
  const takers: Readonly<Record<Action, () => void>> = {
    reload: () => reload(daemon),
    reopen: () => daemon.audit.reopen(),
    end: end(daemon),
  };
  handle = (action) => takers[action]();
  for (const action of isEndAsked() ? (['end'] as const) : kept) handle(action);
}
