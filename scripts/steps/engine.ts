/** A container engine: the one that answers, or Docker from Debian's packages. */
import { addressText } from '../../cli/sandbox/endpoint.ts';
import { candidates, findEngine, isNamed } from '../engine/find.ts';
import { type Task, Unavailable } from '../graph/task.ts';
import { canInstall, installDebian, isOnPath } from './debian.ts';
import { startDaemon } from './dockerd.ts';

export const engine: Task = {
  name: 'engine',
  does: 'bringing a container engine',
  needs: [],
  done: async () => (await findEngine()) !== undefined,
  run: async (context) => {
    const silent = candidates().find(isNamed);
    // Another engine would start containers where nobody expects them.
    if (silent) throw new Unavailable(`${silent.origin} (${addressText(silent.address)}) does not answer`);
    if (!canInstall())
      throw new Unavailable('no container engine answers, and only root on Debian or Ubuntu installs one');
    if (!isOnPath('dockerd')) await installDebian('engine', context);
    await startDaemon(context);
    return undefined;
  },
  mend: 'start Docker or Podman, or install one (Debian: `apt-get install docker.io`), then run the same command again',
};
