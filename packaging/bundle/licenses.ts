/** Licenses of the npm packages whose code is in a bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX identifier. */
  readonly license: string;
  readonly text: string;
}

/** Matches the folder of the innermost package in a path. */
const packageFolder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Returns the text of the license file; empty: the package has none. */
function textIn(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
}

export function packageIn(folder: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  // Old packages have a list of licenses.
  const { name, version, licenses, license = licenses?.[0]?.type ?? 'unknown' } = manifest;
  return { name, version, license, text: textIn(folder) };
}

/** Returns the packages that files of a bundle belong to, sorted by name. */
export function bundledPackages(root: string, files: readonly string[]): BundledPackage[] {
  const folders = new Set(files.flatMap((file) => packageFolder.exec(file)?.[0] ?? []));
  const found = [...folders].map((folder) => packageIn(join(root, folder)));
  const unique = new Map(found.map((one) => [`${one.name}@${one.version}`, one]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** The text that a distribution of the bundle must contain. */
export const licensesText = (packages: readonly BundledPackage[]): string =>
  packages
    .map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
