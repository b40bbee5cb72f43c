import { setImmediate as turn } from 'node:timers/promises';

/** Counts the turns of the event loop until the work is done. */
export async function turnsOf(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const counted = work.finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) await turn();
  await counted;
  return turns;
}
