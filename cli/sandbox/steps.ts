/** Turns work that reports through a function into the steps of a generator. */

/**
 * Yields what `work` reports, in order, then returns or throws what it does. Reports that come while nobody asks for the
 * next step are kept: a reader that only prints keeps up with any work.
 */
export async function* steps<P, R>(work: (report: (progress: P) => void) => Promise<R>): AsyncGenerator<P, R, void> {
  const queue: P[] = [];
  let wake = Promise.withResolvers<void>();
  let isDone = false;
  const result = work((progress) => {
    queue.push(progress);
    wake.resolve();
  }).finally(() => {
    isDone = true;
    wake.resolve();
  });
  result.catch(() => {}); // thrown below, once everything reported was yielded
  for (;;) {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) yield next;
    if (isDone) return result;
    await wake.promise;
    wake = Promise.withResolvers<void>();
  }
}
