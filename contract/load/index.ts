/** Loads the files that users write. Returns checked values, or all problems with their positions. */
export { loadAny } from './any.ts';
export { loadDaemon } from './daemon.ts';
export { loadPolicy } from './policy.ts';
export type { Loaded, Problem } from './problem.ts';
