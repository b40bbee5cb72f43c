/** The folder in which the commands of a page run, with our programs on the PATH. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

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
  /** A command prefix that runs the commands elsewhere. */
  readonly prefix: readonly string[];
  readonly remove: () => void;
}

export function createScratch(): Scratch {
  const root = mkdtempSync(join(tmpdir(), 'guard-pages-'));
  const [folder, programs] = [join(root, 'site'), join(root, 'bin')];
  mkdirSync(folder);
  writePrograms(programs);
  symlinkSync(join(packageRoot, 'examples'), join(folder, 'examples'));
  symlinkSync(packageRoot, join(folder, 'request-guard'));
  // What guardcli needs to reach a container runtime and what it compiled.
  const kept = Object.entries(process.env).filter(([name]) => /^(?:DOCKER_|GUARD_|XDG_CACHE_HOME$|TMPDIR$)/.test(name));
  const home = process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? root, '.cache');
  const env = {
    ...Object.fromEntries(kept as [string, string][]),
    XDG_CACHE_HOME: home,
    HOME: root,
    TERM: 'dumb',
    PATH: `${programs}:${systemPath}`,
  };
  return { folder, env, prefix: [], remove: () => rmSync(root, { recursive: true, force: true }) };
}
