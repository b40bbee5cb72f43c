/** The compiled TypeScript and the bundled programs in dist/, rebuilt when a source has changed. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import type { Task } from '../graph/task.ts';

const sources = [
  '{bench,cli,contract,daemon,e2e,fuzz,packaging,platform,sandbox-images,scripts}/**/*.{ts,tsx,json}',
  '{package,package-lock,tsconfig}.json',
];

/** The wrapper `guardcli` compares the time of this file with that of git's index. */
const stamp = join(packageRoot, 'dist/.built');

function sourceHash(): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of globSync(sources, { cwd: packageRoot }).sort()) {
    hash.update(`${file}\0`).update(readFileSync(join(packageRoot, file)));
  }
  return hash.digest('hex');
}

function isBuilt(): boolean {
  try {
    if (readFileSync(stamp, 'utf8') !== sourceHash()) return false;
    utimesSync(stamp, new Date(), new Date());
    return true;
  } catch {
    return false;
  }
}

export const build: Task = {
  name: 'build',
  does: 'compiling and bundling TypeScript',
  needs: ['packages'],
  done: isBuilt,
  run: async ({ command }) => {
    const hash = sourceHash();
    await command(process.execPath, ['scripts/build.ts'], { cwd: packageRoot });
    writeFileSync(stamp, hash);
    return undefined;
  },
  mend: 'mend the sources that are named above, then run the same command again',
};
