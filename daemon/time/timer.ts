/** Timers of any length. A single system timer is limited to 24 days. */

const longestPiece = 2 ** 31 - 1;

/** Calls `done` once after `ms`. Returns what cancels it. */
export function after(ms: number, done: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number) => {
    const piece = Math.min(left, longestPiece);
    timer = setTimeout(() => (left > piece ? wait(left - piece) : done()), piece);
  };
  wait(ms);
  return () => clearTimeout(timer);
}

/** The result of the work, or of `late` when the work takes longer than `ms`. The work continues then. */
export function inTime<Result, Late>(work: Promise<Result>, ms: number, late: () => Late): Promise<Result | Late> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = after(ms, resolve);
  return Promise.race([work, promise.then(late)]).finally(cancel);
}
