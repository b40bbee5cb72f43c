/** Tunes the garbage collector for connections that are not objects of Node. */
import { setFlagsFromString } from 'node:v8';

/**
 * Young objects are collected in a space that V8 doubles while many survive, as connections do that stay open: with thousands of
 * them it takes more memory than the connections. A small one costs no measurable time, because buffers are not allocated per read.
 */
export function keepYoungSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
