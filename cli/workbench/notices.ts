import type { Action, State } from './state.ts';
import type { Store } from './store.ts';

/** Milliseconds in which a reader can read a line of 100 characters. */
const shownMs = 8000;

/** Removes each notice after some seconds. Returns a function that stops the timer. */
export function expireNotices({ state, dispatch, subscribe }: Store<State, Action>): () => void {
  let shown = state().notice;
  let timer: NodeJS.Timeout | undefined;
  const remove = (): void => {
    if (state().notice === shown) dispatch({ kind: 'notice', notice: undefined });
  };
  const leave = subscribe(() => {
    if (state().notice === shown) return;
    shown = state().notice;
    clearTimeout(timer);
    if (shown) timer = setTimeout(remove, shownMs);
  });
  return () => {
    clearTimeout(timer);
    leave();
  };
}
