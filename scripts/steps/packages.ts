/** npm's packages, exactly those of package-lock.json, with re2 compiled against this Node. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { packageRoot } from '../../cli/assets.ts';
import type { Task } from '../graph/task.ts';

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

/** Compiled, and for the Node that runs this. */
function isNativePartUsable(): boolean {
  try {
    createRequire(join(packageRoot, 'package.json'))('re2');
    return true;
  } catch {
    return false;
  }
}

/** Headers beside the runtime spare node-gyp a download; scripts of packages must run under this very Node. */
function environment(): Record<string, string> {
  const home = dirname(dirname(process.execPath));
  const headers = existsSync(join(home, 'include/node/node.h')) ? { npm_config_nodedir: home } : {};
  return { ...headers, PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}` };
}

export const packages: Task = {
  name: 'packages',
  does: 'installing npm packages and compiling re2',
  needs: ['compiler'],
  done: () => isAsLocked() && isNativePartUsable(),
  run: async ({ command }) => {
    await command('npm', ['ci', '--foreground-scripts'], { cwd: packageRoot, env: environment() });
    return undefined;
  },
  mend: 'check that npm can reach its registry and that g++, make and python3 are installed, then run the same command again',
};
