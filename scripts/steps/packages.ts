/** npm's packages, exactly those of package-lock.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import type { Task } from '../graph/task.ts';
import { npmEnvironment } from './npm.ts';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
}

function lockedPackages(file: string): Record<string, Locked> {
  try {
    return JSON.parse(readFileSync(join(packageRoot, file), 'utf8')).packages;
  } catch {
    return {};
  }
}

/** npm leaves out optional packages made for other platforms. */
function isAsLocked(): boolean {
  const installed = lockedPackages('node_modules/.package-lock.json');
  return Object.entries(lockedPackages('package-lock.json')).every(([path, { version, integrity, optional }]) => {
    const found = installed[path];
    if (path === '' || (found === undefined && optional)) return true;
    return found?.version === version && found?.integrity === integrity;
  });
}

export const packages: Task = {
  name: 'packages',
  does: 'installing npm packages',
  needs: [],
  done: isAsLocked,
  run: async ({ command }) => {
    // The one script that matters is a step of its own: it takes minutes, and much can be done meanwhile.
    await command('npm', ['ci', '--ignore-scripts'], { cwd: packageRoot, env: npmEnvironment() });
    return undefined;
  },
  mend: 'check that npm can reach its registry, then run the same command again',
};
