/** `scripts/node packaging/bundle/build.ts`: dist/ from nothing, made beside the old one and put in its place when it is complete. */
import { execFileSync } from 'node:child_process';
import { globSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { bundle } from './bundle.ts';

/** A program that was started longer ago than this no longer finds chunks that it loads late. */
const keptMs = 24 * 60 * 60 * 1000;

/** Programs that run load parts of the old bundle when they need them: those parts stay for a day. */
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

/** Puts the complete folder in the place of the old one. */
export function swapIn(fresh: string, place: string): void {
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
  execFileSync(process.execPath, [compiler, '--outDir', fresh], { cwd: packageRoot, stdio: 'inherit' });
  await bundle(join(fresh, 'bin'));
  swapIn(fresh, dist);
}

if (import.meta.main) await main();
