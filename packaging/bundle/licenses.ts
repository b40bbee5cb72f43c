/** Licenses of the code that a release ships. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';

export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX identifier or expression. */
  readonly license: string;
  readonly text: string;
}

/** Licenses that allow use in a product under the MIT license, when their texts are shipped. */
const acceptedLicenses = [
  ...['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'BlueOak-1.0.0', 'CC0-1.0', 'Unlicense'],
  // Accepted, because the sources of such modules are unchanged and available from the module proxy.
  'MPL-2.0',
];

/** True when the expression has an alternative with only accepted licenses. */
export const isAccepted = (license: string): boolean =>
  license
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((alternative) => alternative.split(' AND ').every((one) => acceptedLicenses.includes(one)));

/** Matches the folder of the innermost package in a path. */
const packageFolder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Returns the text of the license file, or an empty text when the package has none. */
function licenseTextIn(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
}

export function packageIn(folder: string): ShippedPackage {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  // Old packages have a list of licenses.
  const { name, version, licenses, license = licenses?.[0]?.type ?? 'unknown' } = manifest;
  return { name, version, license, text: licenseTextIn(folder) };
}

function uniquePackages(found: readonly ShippedPackage[]): ShippedPackage[] {
  const byName = new Map(found.map((one) => [`${one.name}@${one.version}`, one]));
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

export function bundledPackages(root: string, files: readonly string[]): ShippedPackage[] {
  const folders = new Set(files.flatMap((file) => packageFolder.exec(file)?.[0] ?? []));
  return uniquePackages([...folders].map((folder) => packageIn(join(root, folder))));
}

export async function installedPackages(): Promise<ShippedPackage[]> {
  const args = ['ls', '--omit=dev', '--omit=peer', '--all', '--parseable'];
  const folders = (await command('npm', args, { cwd: packageRoot })).trim().split('\n');
  const isPackage = (folder: string): boolean =>
    folder.includes('node_modules') && !folder.endsWith('request-guard-toolchain');
  return uniquePackages(folders.filter(isPackage).map(packageIn));
}

const separator = '-'.repeat(80);

export const licensesText = (packages: readonly ShippedPackage[]): string =>
  packages
    .map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`)
    .join(`\n${separator}\n\n`);
