/** Packs a folder as a Debian package. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import type { ShippedPackage } from '../bundle/licenses.ts';
import { controlFile, debianVersion, type Product } from './control.ts';

export interface DebianBuild {
  readonly folder: string;
  readonly version: string;
  /** Compression as in `dpkg-deb -Z`. xz takes minutes and makes the smallest file. */
  readonly compression?: string;
  readonly signal?: AbortSignal;
  readonly onText?: (text: string) => void;
}

export interface BuiltPackage {
  readonly file: string;
  /** Packages in the Debian package besides Node. */
  readonly packages: readonly ShippedPackage[];
}

export interface PackedFile {
  readonly content: string | Buffer;
  readonly mode?: number;
}

/** Contents of files by path in the package. */
export type PackedFiles = Readonly<Record<string, PackedFile>>;

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8');

/** Returns the scripts that dpkg runs. @param folder path below the root of the project */
export const scripts = (folder: string, ...names: readonly string[]): PackedFiles =>
  Object.fromEntries(names.map((name) => [`DEBIAN/${name}`, { content: read(`${folder}/${name}`), mode: 0o755 }]));

export function writeFiles(root: string, files: PackedFiles): void {
  for (const [path, { content, mode = 0o644 }] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(root, path), content, { mode });
  }
}

async function kibibytesIn(folder: string): Promise<number> {
  const output = await command('du', ['-sk', '--apparent-size', folder]);
  return Number.parseInt(output, 10);
}

/** Adds the files to those in `root`, and packs all. Returns the path of the package. */
export async function pack(root: string, product: Product, files: PackedFiles, wanted: DebianBuild): Promise<string> {
  const { folder, version, compression = 'xz', signal, onText } = wanted;
  const architecture = architectures[process.arch] ?? process.arch;
  writeFiles(root, files);
  const installedSize = await kibibytesIn(root);
  writeFiles(root, { 'DEBIAN/control': { content: controlFile(product, { version, architecture, installedSize }) } });
  await command('chmod', ['-R', 'u+rwX,go+rX,go-w', root]);
  const file = join(folder, `${product.name}_${debianVersion(version)}_${architecture}.deb`);
  const args = [`-Z${compression}`, '--root-owner-group', '--build', root, file];
  await command('dpkg-deb', args, { ...(signal && { signal }), ...(onText && { onText }) });
  return file;
}
