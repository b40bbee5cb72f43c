/** Yields the reports of `work` in order, then returns its result. Queues them for a slow consumer. */
export async function* stepsOf<P, R>(work: (report: (progress: P) => void) => Promise<R>): AsyncGenerator<P, R, void> {
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
  result.catch(() => {}); // rethrown below, after all reports were yielded
  for (;;) {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) yield next;
    if (isDone) return result;
    await wake.promise;
    wake = Promise.withResolvers<void>();
  }
}
