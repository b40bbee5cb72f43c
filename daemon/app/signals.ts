/** Catches signals from the first statement on. Imports run before it, so this file imports only types. */
import type { RunningDaemon } from './daemon.ts';

type Action = 'reload' | 'reopen' | 'end';

/**
 * Installed in this order. SIGHUP is last: Node does not catch SIGHUP, so a process that catches it has all handlers.
 */
const actions: readonly (readonly [NodeJS.Signals, Action])[] = [
  ['SIGUSR1', 'reopen'],
  ['SIGTERM', 'end'],
  ['SIGINT', 'end'],
  ['SIGHUP', 'reload'],
];

/** Actions that were requested before the daemon was ready, once each. */
const pendingActions = new Set<Action>();

/** Ends the process with the default effect of a signal. process.exit would wait for threads that wait for the disk. */
export function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

let handleAction = (action: Action): void => {
  if (action === 'end' && pendingActions.has('end')) endBy('SIGTERM'); // a second SIGTERM or SIGINT does not wait
  pendingActions.add(action);
};

/** Closes the debugger that Node has opened if SIGUSR1 arrived before the first statement. */
function closeInspector(): void {
  if (process.execArgv.some((arg) => arg.startsWith('--inspect'))) return;
  const inspector = process.getBuiltinModule('node:inspector');
  if (inspector.url() !== undefined) inspector.close();
}

/** Call it as the first statement of the program. */
export function catchSignals(): void {
  for (const [signal, action] of actions) process.on(signal, () => handleAction(action));
  closeInspector();
}

/**
 * Restores the default effect of signals, for `reload` and `--check`. Exits if a signal has already requested the end.
 */
export function releaseSignals(): void {
  for (const [signal] of actions) process.removeAllListeners(signal);
  if (pendingActions.has('end')) process.exit(1);
}

export const isEndRequested = (): boolean => pendingActions.has('end');

function reload(daemon: RunningDaemon): void {
  daemon.audit.reopen();
  daemon.reload('SIGHUP').catch((error: Error) => daemon.audit.fault(`reload: ${error.stack}`));
}

/** Returns a function that closes the daemon and ends the process. Its second call does not wait for the daemon. */
function endHandler(daemon: RunningDaemon, ending: () => void): () => void {
  let isEnding = false;
  return () => {
    if (isEnding) endBy('SIGTERM');
    isEnding = true;
    ending();
    daemon.close().then(
      (isReleased) => (isReleased ? process.exit(0) : endBy('SIGTERM')),
      () => process.exit(0),
    );
  };
}

/** Handles signals, and runs the actions that were requested during the start: only the end if it is among them. */
export function handleSignals(daemon: RunningDaemon, ending: () => void): void {
  closeInspector();
  const handlers: Readonly<Record<Action, () => void>> = {
    reload: () => reload(daemon),
    reopen: () => daemon.audit.reopen(),
    end: endHandler(daemon, ending),
  };
  handleAction = (action) => handlers[action]();
  for (const action of isEndRequested() ? (['end'] as const) : pendingActions) handleAction(action);
}
