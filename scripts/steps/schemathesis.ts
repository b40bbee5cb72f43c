/** Schemathesis, a Python program that tests an HTTP API against its OpenAPI document. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { type Task, type TaskContext, Unavailable } from '../graph/task.ts';
import { canInstall, installDebian } from './debian.ts';

/** Every package with its version. */
const pins = join(packageRoot, 'scripts/toolchain/schemathesis.txt');
const folder = join(packageRoot, '.toolchain/schemathesis');
/** Written last: what is installed. */
const installed = join(folder, 'installed.txt');

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

const hasPip = (): boolean => spawnSync('python3', ['-m', 'pip', '--version']).status === 0;

async function install({ command, signal }: TaskContext): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
  try {
    await command('python3', [...args, '--target', folder, '--requirement', pins], { cwd: packageRoot });
  } catch (error) {
    signal.throwIfAborted();
    throw new Unavailable(`pip could not install Schemathesis: ${(error as Error).message}`);
  }
  copyFileSync(pins, installed);
}

export const schemathesis: Task = {
  name: 'schemathesis',
  does: 'installing Schemathesis',
  needs: [],
  done: () => read(installed) === read(pins),
  run: async (context) => {
    if (!hasPip()) {
      if (!canInstall()) throw new Unavailable('Python 3 with pip is not installed');
      await installDebian('schemathesis', context);
    }
    await install(context);
    return undefined;
  },
  mend: 'install Python 3 with pip, check that it can reach its index, then run the same command again',
};
