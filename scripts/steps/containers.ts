/** A container runtime: one that responds, or Docker from Debian's packages. */
import { addressText } from '../../cli/sandbox/endpoint.ts';
import { candidates, findRuntime, isNamed } from '../runtime/find.ts';
import { type Task, Unavailable } from '../tasks/task.ts';
import { canInstall, install, isOnPath } from './apt.ts';
import { startDaemon } from './dockerd.ts';

export const containers: Task = {
  name: 'containers',
  does: 'preparing a container runtime',
  needs: ['packages'],
  done: async () => (await findRuntime()) !== undefined,
  run: async (context) => {
    const silent = candidates().find(isNamed);
    // Another container runtime would start containers in an unexpected place.
    if (silent) throw new Unavailable(`${silent.origin} (${addressText(silent.address)}) does not respond`);
    if (!canInstall())
      throw new Unavailable('no container runtime responds, and only root on Debian or Ubuntu can install one');
    if (!isOnPath('dockerd')) await install(['docker.io', 'iptables'], context);
    await startDaemon(context);
    return undefined;
  },
  fix: 'start Docker or Podman, or install one (Debian: `apt-get install docker.io`), then run the same command again',
};
