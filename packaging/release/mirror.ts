/**
 * Writes a folder of this repository as the root of another one, which a registry reads: a mirror. Its only commit has
 * the tags of a version.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';

/** This repository, which the pages of a mirror link to. */
const repository = 'https://github.com/request-guard/request-guard';

export interface Mirror {
  /** The folder of this repository. */
  readonly source: string;
  /** The new repository, an existing folder. */
  readonly folder: string;
  /** Without a `v`. */
  readonly version: string;
  readonly tags: readonly string[];
  /** Whether a file, below `source`, is left out. */
  readonly leftOut: (file: string) => boolean;
  /** Returns the content of a file in the mirror. */
  readonly changed: (file: string, text: string) => string;
}

/**
 * Returns a page as the mirror has it: the section for developers is left out, the version is filled in, and links to
 * files outside of the mirror have the address of this repository.
 */
export function pageOf(page: string, text: string, { source, version }: Pick<Mirror, 'source' | 'version'>): string {
  const [forUsers = ''] = text.split('\n## Development\n');
  return forUsers.replaceAll('vX.Y.Z', `v${version}`).replaceAll(/\]\((\.\.?\/[^)]*)\)/g, (link, target: string) => {
    const path = join(source, dirname(page), target);
    const isInside = !relative(source, path).startsWith('..');
    return isInside ? link : `](${repository}/blob/v${version}/${path})`;
  });
}

/** Returns the files that git tracks below the folder, as paths below it. */
async function trackedFiles(source: string): Promise<string[]> {
  const listed = await command('git', ['ls-files', '-z', '.'], { cwd: join(packageRoot, source) });
  return listed.split('\0').filter((file) => file !== '');
}

function writeFile(mirror: Mirror, file: string): void {
  const from = join(packageRoot, mirror.source, file);
  const to = join(mirror.folder, file);
  mkdirSync(dirname(to), { recursive: true });
  const text = readFileSync(from, 'utf8');
  const page = file.endsWith('.md') ? pageOf(file, text, mirror) : text;
  writeFileSync(to, mirror.changed(file, page));
}

/** The identity of the commit, so that the same version always has the same commit. */
async function commitEnvironment(): Promise<Record<string, string>> {
  const date = (await command('git', ['log', '-1', '--format=%cI'], { cwd: packageRoot })).trim();
  const roles = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Request Guard'],
    [`GIT_${role}_EMAIL`, 'release@request-guard.invalid'],
    [`GIT_${role}_DATE`, date],
  ]);
  // Settings of the machine, such as signatures and line ends, would change the commit.
  return { ...Object.fromEntries(roles), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
}

/** Writes the repository. Returns the paths of its files. */
export async function writeMirror(mirror: Mirror): Promise<string[]> {
  const { source, folder, version, tags, leftOut } = mirror;
  const files = (await trackedFiles(source)).filter((file) => !leftOut(file));
  for (const file of files) writeFile(mirror, file);
  copyFileSync(join(packageRoot, 'LICENSE'), join(folder, 'LICENSE'));
  const git = { cwd: folder, env: await commitEnvironment() };
  await command('git', ['init', '--quiet', '--initial-branch=main'], git);
  await command('git', ['add', '--all', '--force'], git);
  await command('git', ['commit', '--quiet', '--message', `Version ${version}`], git);
  for (const tag of tags) await command('git', ['tag', '--annotate', '--message', tag, tag], git);
  return [...files, 'LICENSE'].sort();
}
