/** Load generators and peers of the benchmarks: nothing installs them, because they have to run on this machine itself. */
import { existsSync } from 'node:fs';
import type { Task } from '../tasks/task.ts';
import { isOnPath } from './apt.ts';

const isThere = (program: string): boolean => isOnPath(program) || existsSync(`/usr/sbin/${program}`);
const missing = (): string[] => ['wrk', 'haproxy', 'iperf3', 'nginx'].filter((program) => !isThere(program));

export const benchPrograms: Task = {
  name: 'bench-programs',
  does: 'looking for the programs of the benchmarks',
  needs: [],
  run: async ({ tell }) => {
    const names = missing();
    if (names.length > 0) tell(`not installed, so benchmarks that need them fail: ${names.join(', ')}`);
    return undefined;
  },
  fix: 'install wrk, haproxy, iperf3 and nginx',
};
