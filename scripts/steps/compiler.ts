/** A C++ compiler for re2, where no prebuilt binary can be had. */
import type { Task } from '../graph/task.ts';
import { canInstall, installDebian, isOnPath } from './debian.ts';

export const compiler: Task = {
  name: 'compiler',
  does: 'installing a C++ compiler, make and Python',
  needs: [],
  // Where we cannot install them, npm may still find a prebuilt binary; if not, the native step says what is missing.
  done: () => ['c++', 'make', 'python3'].every(isOnPath) || !canInstall(),
  run: async (context) => {
    await installDebian('compiler', context);
    return undefined;
  },
  mend: 'run `apt-get update && apt-get install g++ make python3`, then the same command again',
};
