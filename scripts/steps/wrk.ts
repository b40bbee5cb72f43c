/** The load generator of the benchmarks. */
import { type Task, Unavailable } from '../graph/task.ts';
import { canInstall, installDebian, isOnPath } from './debian.ts';

export const wrk: Task = {
  name: 'wrk',
  does: 'installing the load generator wrk',
  needs: [],
  done: () => isOnPath('wrk'),
  run: async (context) => {
    if (!canInstall()) throw new Unavailable('wrk is not installed');
    await installDebian('bench', context);
    return undefined;
  },
  mend: 'install wrk, then run the same command again',
};
