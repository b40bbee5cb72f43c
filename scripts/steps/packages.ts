/** Installs the npm packages of package-lock.json. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../platform/assets.ts';
import { ExternalError } from '../../platform/errors.ts';
import type { Task } from '../tasks/task.ts';
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

/** npm skips optional packages for other platforms. */
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
  run: async ({ log, signal }) => {
    // Uses Node's own function, because execa is one of the packages. The only needed script, that of re2, is a
    // separate step, because it takes minutes and other steps can run at the same time.
    const options = { cwd: packageRoot, env: { ...process.env, ...npmEnvironment() }, signal };
    const running = promisify(execFile)('npm', ['ci', '--ignore-scripts'], options);
    const { stdout, stderr, failed } = await running.then(
      (printed) => ({ ...printed, failed: undefined }),
      (error) => ({ ...error, failed: error }),
    );
    log(`$ npm ci --ignore-scripts\n${stdout}${stderr}`);
    signal.throwIfAborted();
    if (failed === undefined) return undefined;
    throw new ExternalError('npm ci failed', { code: 'command_failed', failed: { tool: 'npm' }, cause: failed });
  },
  fix: 'check that npm can reach its registry, then run the same command again',
};
