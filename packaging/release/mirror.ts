/**
 * Writes folders of this repository as the root of another repository, the mirror, which a registry reads. The only
 * commit of the mirror has the tags of a version.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';

/** This repository, which the pages of a mirror link to. */
export const repository = 'https://github.com/request-guard/request-guard';

/** The repository to write, and the version that it gets. */
export interface MirrorTarget {
  /** Version without a `v`. */
  readonly version: string;
  /** The empty folder of the new repository. */
  readonly folder: string;
}

/** A folder of this repository. The paths of its files are relative to it. */
export interface Tree {
  readonly source: string;
  /** Returns the path of a file in the mirror, or undefined for a file that is left out. */
  readonly pathOf: (file: string) => string | undefined;
  /** Returns the text of the file in the mirror. */
  readonly rewrite: (file: string, text: string) => string;
}

interface Mirror extends MirrorTarget {
  readonly tags: readonly string[];
  readonly trees: readonly Tree[];
  /** Writes an index, after the files of the trees. Receives the paths of those files in the mirror. */
  readonly index?: (files: readonly string[]) => void;
}

/**
 * Returns a page for the mirror: without the section for developers, and with the version filled in. Links to files that
 * the mirror lacks lead to this repository.
 */
export function pageOf(page: string, text: string, { source }: Tree, version: string): string {
  const [forUsers = ''] = text.split('\n## Development\n');
  return forUsers.replaceAll('vX.Y.Z', `v${version}`).replaceAll(/\]\((\.\.?\/[^)]*)\)/g, (link, target: string) => {
    const path = join(source, dirname(page), target);
    const isInside = !relative(source, path).startsWith('..');
    return isInside ? link : `](${repository}/blob/v${version}/${path})`;
  });
}

async function trackedFiles(source: string): Promise<string[]> {
  const listed = await command('git', ['ls-files', '-z', '.'], { cwd: join(packageRoot, source) });
  return listed.split('\0').filter((file) => file !== '');
}

/** Writes the files of a tree. Returns their paths in the mirror. */
async function writeTree(tree: Tree, { folder, version }: MirrorTarget): Promise<string[]> {
  const written: string[] = [];
  for (const file of await trackedFiles(tree.source)) {
    const path = tree.pathOf(file);
    if (path === undefined) continue;
    const text = readFileSync(join(packageRoot, tree.source, file), 'utf8');
    const to = join(folder, path);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, tree.rewrite(file, file.endsWith('.md') ? pageOf(file, text, tree, version) : text));
    written.push(path);
  }
  return written;
}

/** Returns author and dates of the commit, so that the same version always has the same commit. */
async function commitEnvironment(): Promise<Record<string, string>> {
  const date = (await command('git', ['log', '-1', '--format=%cI'], { cwd: packageRoot })).trim();
  const roles = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Request Guard'],
    [`GIT_${role}_EMAIL`, 'release@request-guard.invalid'],
    [`GIT_${role}_DATE`, date],
  ]);
  // Settings of the machine would change the commit.
  return { ...Object.fromEntries(roles), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
}

export async function writeMirror({ trees, tags, index, ...target }: Mirror): Promise<void> {
  const { folder, version } = target;
  const files: string[] = [];
  for (const tree of trees) files.push(...(await writeTree(tree, target)));
  index?.(files);
  copyFileSync(join(packageRoot, 'LICENSE'), join(folder, 'LICENSE'));
  const git = { cwd: folder, env: await commitEnvironment() };
  await command('git', ['init', '--quiet', '--initial-branch=main'], git);
  await command('git', ['add', '--all', '--force'], git);
  await command('git', ['commit', '--quiet', '--message', `Version ${version}`], git);
  for (const tag of tags) await command('git', ['tag', '--annotate', '--message', tag, tag], git);
}
