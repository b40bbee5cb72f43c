/** The load generators and the peers of the benchmarks. */
import { type Task, Unavailable } from '../graph/task.ts';
import { canInstall, installDebian, isOnPath } from './debian.ts';

export const wrk: Task = {
  name: 'wrk',
  does: 'installing wrk, iperf3 and HAProxy',
  needs: [],
  done: () => ['wrk', 'haproxy', 'iperf3'].every(isOnPath),
  run: async (context) => {
    if (!canInstall()) throw new Unavailable('wrk, iperf3 or HAProxy is not installed');
    await installDebian('bench', context);
    return undefined;
  },
  mend: 'install wrk, iperf3 and haproxy, then run the same command again',
};
