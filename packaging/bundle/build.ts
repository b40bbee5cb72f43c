/**
 * Builds dist/ from scratch: `scripts/node packaging/bundle/build.ts`. The new folder replaces the old one when it is
 * complete.
 */
import { execFileSync } from 'node:child_process';
import { globSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { bundle } from './bundle.ts';

/**
 * Milliseconds for which chunks of earlier bundles are kept. A program that runs for longer can fail to load further
 * chunks. With a day, frequent builds left 4,000 chunks, too many for the command that `--dry-run` prints.
 */
const keptMs = 60 * 60 * 1000;

/** Links recent chunks of the old bundle into the new one, because running programs load them later. */
function keepChunks(old: string, fresh: string): void {
  for (const file of globSync('bin/chunks/*.js', { cwd: old })) {
    if (Date.now() - statSync(join(old, file)).mtimeMs > keptMs) continue;
    try {
      linkSync(join(old, file), join(fresh, file));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

export function replaceFolder(fresh: string, place: string): void {
  const aside = `${fresh}.old`;
  try {
    keepChunks(place, fresh);
    renameSync(place, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  renameSync(fresh, place);
  rmSync(aside, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const dist = join(packageRoot, 'dist');
  const fresh = join(packageRoot, '.cache/build');
  for (const left of [fresh, `${fresh}.old`]) rmSync(left, { recursive: true, force: true });
  const compiler = join(packageRoot, 'node_modules/typescript/bin/tsc');
  // Types are a suite of `npm run check`: checking them takes five times as long as this, and changes no file.
  execFileSync(process.execPath, [compiler, '--noCheck', '--outDir', fresh], { cwd: packageRoot, stdio: 'inherit' });
  await bundle(join(fresh, 'bin'));
  execFileSync(process.execPath, [join(fresh, 'packaging/bundle/manuals.js'), join(fresh, 'man')]);
  replaceFolder(fresh, dist);
}

if (import.meta.main) await main();
