/** Flags of V8 for relaying. Each applies to the whole process. */
import { setFlagsFromString } from 'node:v8';

/**
 * Node reads each chunk into a new buffer outside the heap, and bytes that wait for a slow reader are in others. By default, V8
 * starts to mark the whole heap for every few tens of megabytes of such buffers, which takes several times the processor time of
 * relaying them. With the first two flags, buffers count toward the limit of the heap, and collections of new objects, which are
 * cheap, free them first. V8 chooses a growth of 10 to 300 percent itself.
 *
 * Some seconds without connections are followed by two collections. By default, V8 then forgets the shapes of objects that have
 * no instances, discards the code that it has optimized for them, and compiles it again during the next thousands of connections.
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
 * For connections that are not objects of Node. Young objects are collected in a space that V8 doubles while many survive, as
 * connections do that stay open: with thousands of them it takes more memory than the connections. A small one costs no measurable
 * time, because buffers are not allocated per read.
 */
export function keepYoungSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For calls of C functions. Only code of V8's optimizing compiler has fast ones, and code that its middle compiler, Maglev,
 * made before mostly keeps the others: a quarter of the time that a round trip takes in user space.
 */
export function preferFastCalls(): void {
  setFlagsFromString('--no-maglev');
}
