/** V8 flags for relaying. Each applies to the whole process. */
import { setFlagsFromString } from 'node:v8';

/**
 * Node reads each chunk into a new buffer outside the heap. Bytes that wait for a slow reader are in such buffers too.
 * By default, V8 marks the whole heap after every few tens of megabytes of buffers, which costs several times the
 * processor time of relaying them. With the first two flags, buffers count toward the limit of the heap, and cheap
 * collections of young objects free them first. Without `--heap-growing-percent`, V8 chooses a growth of 10 to 300
 * percent.
 *
 * After some seconds without connections, V8 collects the heap twice. By default it then forgets the shapes of objects
 * without instances and discards the optimized code for them. It would compile that code again during the next
 * thousands of connections. The last two flags prevent that.
 */
const flags = [
  '--external-memory-accounted-in-global-limit',
  '--heap-growing-percent=200',
  '--retain-maps-for-n-gc=1000000',
  '--no-flush-bytecode',
];

export function tuneCollector(): void {
  for (const flag of flags) setFlagsFromString(flag);
}

/**
 * For connections that are not Node objects. V8 doubles the space for young objects while many survive, which those of
 * open connections do: with thousands of connections, it takes more memory than the connections. A small space costs no
 * measurable time, because reads allocate no buffers.
 */
export function keepYoungSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For calls of C functions. Only the code of V8's optimizing compiler makes fast calls. Code that the middle compiler
 * (Maglev) made before mostly keeps the slow ones, which cost a quarter of the user-space time of a round trip.
 */
export function preferFastCalls(): void {
  setFlagsFromString('--no-maglev');
}
