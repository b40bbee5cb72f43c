/** Begins a work when the one before has ended, with or without success. Resolves or rejects as the work does. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Returns a function with its own order. */
export function createInTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
