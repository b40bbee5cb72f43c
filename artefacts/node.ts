/** Provides Node for a container: the Linux program of the version that runs this process. */
import { constants, copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder, writingCache } from '../platform/cache.ts';
import { type CommandOptions, command } from '../platform/command.ts';
import { makeFolder } from '../platform/folder.ts';
import type { Architecture } from './go.ts';

/** The names of processors in npm packages. */
const processors: Readonly<Record<Architecture, string>> = { amd64: 'x64', arm64: 'arm64' };

/** Downloads Node from npm, which has one package with a build of Node per platform. */
async function fetchNode(processor: string, folder: string, options: CommandOptions): Promise<string> {
  const name = `node-linux-${processor}`;
  const install = [
    'install',
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--force',
    '--prefix',
    folder,
  ];
  await command('npm', [...install, `${name}@${process.versions.node}`], options);
  return join(folder, 'node_modules', name, 'bin/node');
}

async function cacheNode(arch: Architecture, result: string, options: CommandOptions): Promise<void> {
  const processor = processors[arch];
  makeFolder(dirname(result));
  const folder = mkdtempSync(join(dirname(result), '.node-'));
  try {
    const isOwn = process.platform === 'linux' && process.arch === processor;
    const source = isOwn ? process.execPath : await fetchNode(processor, folder, options);
    const unfinished = join(folder, 'node');
    copyFileSync(source, unfinished, constants.COPYFILE_FICLONE);
    renameSync(unfinished, result);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the path of the program in the cache, even if the program is absent. */
export const nodePath = (arch: Architecture): string =>
  join(cacheFolder(), 'artefacts', `node-${process.versions.node}-${arch}`);

/** Returns the path after making sure that the program exists. */
export async function nodeForLinux(arch: Architecture, options: CommandOptions = {}): Promise<string> {
  const result = nodePath(arch);
  if (!existsSync(result)) await writingCache(() => cacheNode(arch, result, options));
  return result;
}
