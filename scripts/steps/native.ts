/**
 * Installs the binary of re2, the only package with native code: from the cache of an earlier clone, a prebuilt binary,
 * or the compiler.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { replaceFileSync } from '../../platform/regular-file.ts';
import type { Task } from '../tasks/task.ts';

const home = join(packageRoot, 'node_modules/re2');
const binary = join(home, 'build/Release/re2.node');

function isUsable(): boolean {
  try {
    createRequire(join(packageRoot, 'package.json'))('re2');
    return true;
  } catch {
    return false;
  }
}

/** Path of the binary in the cache. Other clones of this user reuse it, because compiling takes minutes. */
function cachedBinary(): string {
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const name = ['re2', version, process.version, process.platform, process.arch].join('-');
  return join(cacheFolder(), 'native', name);
}

/**
 * Environment for npm: package scripts run with this Node, and its local headers save node-gyp a download. Without the
 * data of debuggers, a fifth of the compiler's time and 20 MB of the binary are saved.
 */
function npmEnvironment(): Record<string, string> {
  const folder = dirname(dirname(process.execPath));
  const headers = existsSync(join(folder, 'include/node/node.h')) ? { npm_config_nodedir: folder } : {};
  const CXXFLAGS = `${process.env.CXXFLAGS ?? ''} -g0`.trim();
  return { ...headers, CXXFLAGS, PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}` };
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  replaceFileSync(to, (unfinished) => copyFileSync(from, unfinished));
}

export const native: Task = {
  name: 'native',
  does: 'installing re2 (seconds, or minutes if it must be compiled)',
  done: isUsable,
  run: async ({ command }) => {
    const kept = cachedBinary();
    if (existsSync(kept)) copy(kept, binary);
    if (isUsable()) return;
    await command('npm', ['rebuild', 're2', '--foreground-scripts'], { cwd: packageRoot, env: npmEnvironment() });
    copy(binary, kept);
  },
  fix: 'install a C++ compiler, make and Python 3 (Debian: `apt-get install g++ make python3`), then run the same command again',
};
