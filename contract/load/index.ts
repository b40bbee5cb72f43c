export { loadAny } from './any.ts';
export { loadDaemon } from './daemon.ts';
export { loadPolicy } from './policy.ts';
export type { Loaded, Problem } from './problem.ts';
