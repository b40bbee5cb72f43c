/** Timers of any length. A timer of Node is limited to 24 days. */

const longestPiece = 2 ** 31 - 1;

/** Calls `done` after `ms`. Returns a function that cancels the call. */
export function after(ms: number, done: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number) => {
    const piece = Math.min(left, longestPiece);
    timer = setTimeout(() => (left > piece ? wait(left - piece) : done()), piece);
  };
  wait(ms);
  return () => clearTimeout(timer);
}

/** Resolves with the result of the work. After `ms`, resolves with the result of `late`, and the work continues. */
export function inTime<Result, Late>(work: Promise<Result>, ms: number, late: () => Late): Promise<Result | Late> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = after(ms, resolve);
  return Promise.race([work, promise.then(late)]).finally(cancel);
}
