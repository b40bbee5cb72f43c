/** A store of state. Listeners run at most 30 times a second, so that events cannot block keys. */

/** Milliseconds between two notifications. */
const frameMs = 1000 / 30;

export interface Store<S, A> {
  readonly state: () => S;
  readonly dispatch: (action: A) => void;
  /** Runs the scheduled notification now. Does nothing if none is scheduled, or in the frame of an earlier `flush`. */
  readonly flush: () => void;
  /** Returns a function that removes the listener. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** Creates a store. @param now clock in milliseconds */
export function createStore<S, A>(
  reduce: (state: S, action: A) => S,
  initial: S,
  now: () => number = performance.now.bind(performance),
): Store<S, A> {
  const listeners = new Set<() => void>();
  let state = initial;
  let notified = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const notify = (): void => {
    timer = undefined;
    notified = now();
    for (const listener of listeners) listener();
  };
  return {
    state: () => state,
    dispatch: (action) => {
      const next = reduce(state, action);
      if (next === state) return;
      state = next;
      if (timer) return;
      const wait = notified + frameMs - now();
      if (wait <= 0) notify();
      else timer = setTimeout(notify, wait);
    },
    flush: () => {
      const next = notified + frameMs;
      if (!timer || notified > now()) return;
      clearTimeout(timer);
      notify();
      notified = next;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
  };
}
