/** Checks for Go on this machine, which its own tools need. Artefacts can also be compiled in a container. */
import { oldestGo } from '../../sandbox-images/artefacts.ts';
import { goOnMachine } from '../../sandbox-images/go.ts';
import { type Task, Unavailable } from '../tasks/task.ts';

export const go: Task = {
  name: 'go',
  does: 'looking for Go',
  needs: ['packages'],
  run: async () => {
    if (!(await goOnMachine())) throw new Unavailable(`Go ${oldestGo} or newer is not installed`);
    return undefined;
  },
  fix: `install Go ${oldestGo} or newer, then run the same command again`,
};
