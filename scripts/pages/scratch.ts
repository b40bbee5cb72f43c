/** Creates the folder in which the commands of a page run, and a PATH with the programs of this project. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';

function writePrograms(folder: string): void {
  mkdirSync(folder);
  for (const name of ['guardcli', 'tcp-guard']) {
    const script = `#!/bin/sh\nexec '${process.execPath}' '${join(packageRoot, 'dist/bin', name)}.js' "$@"\n`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
}

export interface Scratch {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** A command prefix that runs the commands elsewhere, such as in a container. */
  readonly prefix: readonly string[];
  readonly remove: () => void;
}

export function createScratch(): Scratch {
  const root = scratchFolder('guard-pages-');
  const [folder, programs] = [join(root, 'site'), join(root, 'bin')];
  mkdirSync(folder);
  writePrograms(programs);
  symlinkSync(join(packageRoot, 'examples'), join(folder, 'examples'));
  symlinkSync(packageRoot, join(folder, 'request-guard'));
  const { HOME: home = root, ...inherited } = process.env as Record<string, string>;
  const env = {
    ...inherited,
    // Commands of pages share the cache folder of the user, but have a separate home folder.
    XDG_CACHE_HOME: dirname(cacheFolder()),
    DOCKER_CONFIG: process.env.DOCKER_CONFIG ?? join(home, '.docker'),
    HOME: root,
    TERM: 'dumb',
    PATH: [programs, process.env.PATH].join(delimiter),
  };
  return { folder, env, prefix: [], remove: () => rmSync(root, { recursive: true, force: true }) };
}
