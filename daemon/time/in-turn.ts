/** Begins a work when one before has ended, with or without success. Resolves or rejects as the work does. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Returns a function with its own order, of which at most `most` works run at once. */
export function createInTurn(most = 1): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
