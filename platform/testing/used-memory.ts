/** Memory in use, for tests of what an object keeps. */
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * Bytes of the heap and of buffers, after collections that free nothing more. One collection is not enough: V8 frees buffers in another
 * thread and in later turns of the event loop, and what it frees can free more.
 */
export async function usedMemory(least = Number.POSITIVE_INFINITY): Promise<number> {
  collect();
  await turn();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external < least ? usedMemory(heapUsed + external) : least;
}
