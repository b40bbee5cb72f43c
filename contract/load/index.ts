/** Loading the files of the suite: bytes to checked values, or to every problem at once with its place. */
export { loadAny } from './any.ts';
export { loadDaemon } from './daemon.ts';
export { loadPolicy } from './policy.ts';
export type { Loaded, Problem } from './problem.ts';
