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
