/** Builds the Debian package of tcp-guard: `scripts/node packaging/debian/build.ts <folder>`. */
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { manifest, packageRoot, packageVersion } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { bundle, daemonPrograms, programs } from '../bundle/bundle.ts';
import { packageIn, type ShippedPackage } from '../bundle/licenses.ts';
import { manuals } from '../bundle/manuals.ts';
import { controlFile, debianVersion } from './control.ts';
import { changelogText, copyrightText, thirdPartyFile, thirdPartyText } from './documents.ts';

export interface DebianBuild {
  readonly folder: string;
  readonly version: string;
  /** Compression as in `dpkg-deb -Z`. xz takes minutes and makes the smallest file. */
  readonly compression?: string;
  readonly signal?: AbortSignal;
  readonly onText?: (text: string) => void;
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

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

const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8');

const systemdUnit = (): string =>
  read('packaging/systemd/tcp-guard.service').replace('ExecStart=/usr/local/bin/', 'ExecStart=/usr/bin/');

const gzipped = (text: string): Buffer => gzipSync(text, { level: 9 });

interface File {
  readonly content: string | Buffer;
  readonly mode?: number;
}

/** Returns the contents of files by path in the package. Node, the bundle and re2 are copied instead. */
const filesOf = async (
  version: string,
  packages: readonly ShippedPackage[],
): Promise<Readonly<Record<string, File>>> => ({
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
  'usr/share/doc/tcp-guard/copyright': { content: copyrightText(packages) },
  [thirdPartyFile]: { content: gzipped(thirdPartyText(packages)) },
  'usr/share/doc/tcp-guard/changelog.gz': { content: gzipped(read('CHANGELOG.md')) },
  'usr/share/doc/tcp-guard/changelog.Debian.gz': { content: gzipped(changelogText(version, new Date())) },
  'usr/share/lintian/overrides/tcp-guard': { content: read('packaging/debian/lintian-overrides') },
  'usr/share/tcp-guard/tcp-guard.yaml': { content: read('packaging/debian/tcp-guard.yaml') },
  'etc/logrotate.d/tcp-guard': { content: read('packaging/logrotate/tcp-guard') },
  'DEBIAN/conffiles': { content: '/etc/logrotate.d/tcp-guard\n' },
  ...Object.fromEntries(
    ['postinst', 'prerm', 'postrm'].map((name) => [
      `DEBIAN/${name}`,
      { content: read(`packaging/debian/${name}`), mode: 0o755 },
    ]),
  ),
});

function writeFiles(root: string, files: Readonly<Record<string, File>>): void {
  for (const [path, { content, mode = 0o644 }] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(root, path), content, { mode });
  }
}

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

async function kibibytesIn(folder: string): Promise<number> {
  const output = await command('du', ['-sk', '--apparent-size', folder]);
  return Number.parseInt(output, 10);
}

interface BuiltPackage {
  readonly file: string;
  /** Packages in the Debian package besides Node. */
  readonly packages: readonly ShippedPackage[];
}

export async function buildDebian(wanted: DebianBuild): Promise<BuiltPackage> {
  const { folder, version, compression = 'xz', signal, onText } = wanted;
  const architecture = architectures[process.arch] ?? process.arch;
  const root = scratchFolder('guard-deb-');
  const packages = await copyPrograms(root, version);
  writeFiles(root, await filesOf(version, packages));
  const installedSize = await kibibytesIn(root);
  writeFiles(root, { 'DEBIAN/control': { content: controlFile({ version, architecture, installedSize }) } });
  await command('chmod', ['-R', 'u+rwX,go+rX,go-w', root]);
  const file = join(folder, `tcp-guard_${debianVersion(version)}_${architecture}.deb`);
  const args = [`-Z${compression}`, '--root-owner-group', '--build', root, file];
  await command('dpkg-deb', args, { ...(signal && { signal }), ...(onText && { onText }) });
  return { file, packages };
}

if (import.meta.main) {
  const [folder = '.', version = packageVersion(), compression = 'xz'] = process.argv.slice(2);
  const { file } = await buildDebian({ folder, version, compression });
  process.stdout.write(`${file}\n`);
}
