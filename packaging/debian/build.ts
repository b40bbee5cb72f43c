/** Builds the Debian package of tcp-guard: `scripts/node packaging/debian/build.ts <folder>`. */
import { chmodSync, copyFileSync, cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest, packageRoot, packageVersion } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { bundle, daemonPrograms, programs } from '../bundle/bundle.ts';
import { packageIn, type ShippedPackage } from '../bundle/licenses.ts';
import { manuals } from '../bundle/manuals.ts';
import type { Product } from './control.ts';
import { documents, gzipped, nodePackage } from './documents.ts';
import { type BuiltPackage, type DebianBuild, type PackedFile, pack, read, scripts } from './pack.ts';

const product: Product = {
  name: 'tcp-guard',
  depends: ['libc6 (>= 2.28)', 'libstdc++6', 'libatomic1', 'adduser', 'init-system-helpers (>= 1.52)'],
  recommends: 'nftables',
  suggests: 'logrotate, crowdsec',
  section: 'net',
  description: `layer-4 guard in front of SSH, mail servers and databases
 tcp-guard relays TCP connections. It detects failed logins, bans their
 addresses, limits rates, enforces decisions of CrowdSec, and has an HTTP API.
 guardcli lists bans and shows what logs would ban.`,
};

const programFolder = 'usr/lib/tcp-guard';

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

/** Returns the contents of files by path in the package. Node, the bundle and re2 are copied instead. */
const filesOf = async (
  version: string,
  packages: readonly ShippedPackage[],
): Promise<Readonly<Record<string, PackedFile>>> => ({
  'usr/bin/tcp-guard': { content: startScript('tcp-guard'), mode: 0o755 },
  // For the bans of the daemon and the logs of the host. Commands that need further packages say so.
  'usr/bin/guardcli': { content: startScript('guardcli'), mode: 0o755 },
  'usr/lib/systemd/system/tcp-guard.service': { content: systemdUnit() },
  'usr/lib/tmpfiles.d/tcp-guard.conf': { content: read('packaging/systemd/guard.tmpfiles') },
  ...Object.fromEntries(
    Object.entries(await manuals()).map(([name, page]) => [
      `usr/share/man/man${name.at(-1)}/${name}.gz`,
      { content: gzipped(page) },
    ]),
  ),
  'usr/share/tcp-guard/host.conf': { content: read('packaging/systemd/host.conf') },
  'usr/share/tcp-guard/docker.conf': { content: read('packaging/systemd/docker.conf') },
  ...documents(product.name, version, packages),
  'usr/share/lintian/overrides/tcp-guard': { content: read('packaging/debian/lintian-overrides') },
  'usr/share/tcp-guard/tcp-guard.yaml': { content: read('packaging/debian/tcp-guard.yaml') },
  'etc/logrotate.d/tcp-guard': { content: read('packaging/logrotate/tcp-guard') },
  'DEBIAN/conffiles': { content: '/etc/logrotate.d/tcp-guard\n' },
  ...scripts('packaging/debian', 'postinst', 'prerm', 'postrm'),
});

/** Copies Node, the bundle and re2. Returns the packages in them. */
async function copyPrograms(root: string, version: string): Promise<ShippedPackage[]> {
  const folder = join(root, programFolder);
  const bundled = await bundle(join(folder, 'dist/bin'), [...daemonPrograms, 'guardcli']);
  rmSync(join(folder, 'dist/bin/LICENSES.txt'));
  copyFileSync(process.execPath, join(folder, 'node'));
  for (const file of ['package.json', 're2.js', 'build/Release/re2.node'])
    cpSync(join(packageRoot, 'node_modules/re2', file), join(folder, 'node_modules/re2', file));
  const re2 = join(folder, 'node_modules/re2/build/Release/re2.node');
  // A fifth of Node is symbols for debuggers.
  await command('strip', ['--strip-unneeded', join(folder, 'node'), re2]);
  // The start script runs Node with these files, so they are not programs.
  for (const file of [re2, ...globSync(join(folder, 'dist/bin/*.js'))]) chmodSync(file, 0o644);
  const { name, engines, dependencies, peerDependencies } = manifest();
  const described = { name, version, type: 'module', engines, dependencies, peerDependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(described));
  return [packageIn(join(packageRoot, 'node_modules/re2')), ...bundled];
}

export async function buildDebian(wanted: DebianBuild): Promise<BuiltPackage> {
  const root = scratchFolder('guard-deb-');
  const packages = await copyPrograms(root, wanted.version);
  const shipped = [nodePackage(), ...packages];
  return { file: await pack(root, product, await filesOf(wanted.version, shipped), wanted), packages };
}

if (import.meta.main) {
  const [folder = '.', version = packageVersion(), compression = 'xz'] = process.argv.slice(2);
  const { file } = await buildDebian({ folder, version, compression });
  process.stdout.write(`${file}\n`);
}
