/** Tells the steps of a run as they happen. */
import type { News, StageName } from './progress.ts';

export interface Reporter {
  readonly tell: (news: News) => void;
  /** Runs one stage; `detail` says in a few words what came of it. */
  readonly stage: <T>(name: StageName, work: () => Promise<T>, detail: (result: T) => string) => Promise<T>;
}

export function createReporter(tell: (news: News) => void, now: () => number): Reporter {
  return {
    tell,
    stage: async (name, work, detail) => {
      const start = now();
      tell({ kind: 'stage', stage: { name, state: 'running', milliseconds: 0, detail: '' } });
      const result = await work();
      tell({
        kind: 'stage',
        stage: { name, state: 'done', milliseconds: now() - start, detail: detail(result) },
      });
      return result;
    },
  };
}
