/** What the packages of Debian and of Fedora have in common: both programs, Node, the unit, manual pages and completions. */
import { chmodSync, copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest, packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { bundle, programs } from '../bundle/bundle.ts';
import { completions } from '../bundle/completions.ts';
import type { ShippedPackage } from '../bundle/licenses.ts';
import { manuals } from '../bundle/manuals.ts';
import { copyDependencies, copyPackageFiles } from '../bundle/package-files.ts';
import { gzipped } from '../debian/documents.ts';
import { type PackedFiles, read } from '../debian/pack.ts';

export const programFolder = 'usr/lib/request-guard';

/**
 * Returns the start script of a program. Without the argument from the first line of tcp-guard.js, SIGUSR1 could open a
 * debugger at the start.
 */
function startScript(program: string): string {
  const [, argument] =
    /^#!.* node (\S+)\n/.exec(readFileSync(join(packageRoot, programs[program] as string), 'utf8')) ?? [];
  const node = [`/${programFolder}/node`, ...(argument === undefined ? [] : [argument])].join(' ');
  return `#!/bin/sh\nexec ${node} /${programFolder}/dist/bin/${program}.js "$@"\n`;
}

const systemdUnit = (): string =>
  read('packaging/systemd/tcp-guard.service').replace('ExecStart=/usr/local/bin/', 'ExecStart=/usr/bin/');

/** Returns the contents of files by path, except those in `programFolder`. */
export async function linuxFiles(): Promise<PackedFiles> {
  const pages = Object.entries(await manuals()).map(([name, page]) => [
    `usr/share/man/man${name.at(-1)}/${name}.gz`,
    { content: gzipped(page) },
  ]);
  return {
    'usr/bin/tcp-guard': { content: startScript('tcp-guard'), mode: 0o755 },
    'usr/bin/guardcli': { content: startScript('guardcli'), mode: 0o755 },
    'usr/lib/systemd/system/tcp-guard.service': { content: systemdUnit() },
    'usr/lib/tmpfiles.d/tcp-guard.conf': { content: read('packaging/systemd/guard.tmpfiles') },
    ...Object.fromEntries(pages),
    ...Object.fromEntries(Object.entries(await completions()).map(([path, content]) => [path, { content }])),
    'usr/share/tcp-guard/host.conf': { content: read('packaging/systemd/host.conf') },
    'usr/share/tcp-guard/docker.conf': { content: read('packaging/systemd/docker.conf') },
    'usr/share/tcp-guard/tcp-guard.yaml': { content: read('packaging/linux/tcp-guard.yaml') },
    'etc/logrotate.d/tcp-guard': { content: read('packaging/logrotate/tcp-guard') },
  };
}

/** Copies Node, the files of the npm package, a bundle and the packages that it imports. Returns the packages. */
export async function copyPrograms(root: string, version: string): Promise<ShippedPackage[]> {
  const folder = join(root, programFolder);
  copyPackageFiles(folder);
  const bundled = await bundle(join(folder, 'dist/bin'));
  rmSync(join(folder, 'dist/bin/LICENSES.txt'));
  const imported = copyDependencies(['re2', 'dockerode'], folder);
  copyFileSync(process.execPath, join(folder, 'node'));
  const re2 = join(folder, 'node_modules/re2/build/Release/re2.node');
  // A fifth of Node is symbols for debuggers.
  await command('strip', ['--strip-unneeded', join(folder, 'node'), re2]);
  // The start script runs Node with these files, so they are not programs.
  for (const file of [re2, ...globSync(join(folder, 'dist/bin/*.js'))]) chmodSync(file, 0o644);
  const { name, license, engines, dependencies, peerDependencies } = manifest();
  const described = { name, version, license, type: 'module', engines, dependencies, peerDependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(described));
  return [...imported, ...bundled];
}
