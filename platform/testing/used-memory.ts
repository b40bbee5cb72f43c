/** Measures memory in use, for tests of what an object retains. */
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collects garbage until nothing more is freed: freed objects can release others. */
export async function usedMemory(least = Number.POSITIVE_INFINITY): Promise<number> {
  collect();
  await turn();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external < least ? usedMemory(heapUsed + external) : least;
}
