/** Measures memory in use, for tests of what an object retains. */
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * Returns the bytes of the heap and of buffers. Collects garbage until nothing more is freed: V8 frees buffers in
 * another thread and in later turns of the event loop, and freed objects can release others.
 */
export async function usedMemory(least = Number.POSITIVE_INFINITY): Promise<number> {
  collect();
  await turn();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external < least ? usedMemory(heapUsed + external) : least;
}
