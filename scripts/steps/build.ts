/** Compiles TypeScript and bundles the programs when a source has changed. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import type { Task } from '../tasks/task.ts';

/** The wrapper `guardcli` compares the time of this file with the times of the sources. */
const stamp = 'dist/.built';
const configurations = ['package.json', 'package-lock.json', 'tsconfig.json'];

export function inputsOf(root: string): string[] {
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as { include: string[] };
  const patterns = include.map((folder) => `${folder}/**/*.{ts,tsx,json}`);
  // The record of proven mutants is written while other jobs use what was built.
  const exclude = ['conformance/mutants/proven/**'];
  return [...configurations, ...globSync(patterns, { cwd: root, exclude }).sort()];
}

function sourceHash(root: string): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of inputsOf(root)) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/**
 * True when dist/ was built from the present sources. The stamp then gets the time before the check, so that sources
 * that change during the check are newer.
 */
function isBuilt(): boolean {
  const now = new Date();
  try {
    if (readFileSync(join(packageRoot, stamp), 'utf8') !== sourceHash(packageRoot)) return false;
    utimesSync(join(packageRoot, stamp), now, now);
    return true;
  } catch {
    return false;
  }
}

export const build: Task = {
  name: 'build',
  does: 'compiling and bundling TypeScript',
  done: isBuilt,
  run: async ({ command }) => {
    const now = new Date();
    const hash = sourceHash(packageRoot);
    await command(process.execPath, ['packaging/bundle/build.ts'], { cwd: packageRoot });
    writeFileSync(join(packageRoot, stamp), hash);
    utimesSync(join(packageRoot, stamp), now, now);
  },
  fix: 'fix the errors in the sources above, then run the same command again',
};
