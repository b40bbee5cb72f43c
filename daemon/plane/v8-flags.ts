/** V8 flags for relaying. Each applies to the whole process. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Node reads each chunk into a buffer outside the heap. By default, V8 marks the whole heap after every few tens of
 * megabytes of buffers. With the first two flags, buffers count toward the limit of the heap, and cheap collections of
 * young objects free them. The last two flags keep optimized code while there are no connections: V8 would compile it
 * again during the next thousands of connections.
 */
const flags = [
  '--external-memory-accounted-in-global-limit',
  '--heap-growing-percent=200',
  '--retain-maps-for-n-gc=1000000',
  '--no-flush-bytecode',
];

let isTuned = false;

/**
 * Lets the heap grow by a third between two collections. By default, it grows with the lines of a log that are read, until it has
 * twice the objects in use. For a daemon that relays nothing: `tuneCollector` replaces it when a port is opened.
 */
export function keepHeapSmall(): void {
  isTuned = false;
  setFlagsFromString('--heap-growing-percent=30');
}

/** Ports of passive FTP are opened for each transfer: further calls do nothing. */
export function tuneCollector(): void {
  if (isTuned) return;
  isTuned = true;
  for (const flag of flags) setFlagsFromString(flag);
}

/**
 * Keeps V8's space for young objects small. V8 doubles it while many objects survive, as those of open connections do.
 * On the Linux plane, a small space costs no measurable time, because reads allocate no buffers.
 */
export function keepYoungSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Disables V8's middle compiler (Maglev). Only code of the optimizing compiler makes fast calls of C functions. Code of
 * Maglev mostly makes slow calls. These cost a quarter of the user-space time of a round trip. A function is optimized
 * after as many calls as Maglev would wait for. V8's 3,000 would leave the first 10,000 connections of each process
 * unoptimized, which doubles their processor time.
 */
export function preferFastCalls(): void {
  setFlagsFromString('--no-maglev');
  setFlagsFromString('--invocation-count-for-turbofan=400');
}

/** Bytes of objects on the heap that have survived collections of young objects, with garbage. */
export const bytesOfOldObjects = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;

let collector: (() => void) | undefined;

/** Collects all garbage. Takes 40 to 70 milliseconds with 10,000 connections. */
export function collectGarbage(): void {
  if (!collector) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
  }
  collector();
}
