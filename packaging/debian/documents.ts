/** The documents of a Debian package, in the forms of Debian's policy (chapter 12). */
import { globSync } from 'node:fs';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../platform/assets.ts';
import { licensesText, type ShippedPackage } from '../bundle/licenses.ts';
import { debianVersion, maintainer } from './control.ts';
import { type PackedFiles, read } from './pack.ts';

/** Returns Node as a part of a package. Its license is empty when node_modules has no Node. */
export function nodePackage(): ShippedPackage {
  const [file] = globSync('node_modules/node-linux-*/LICENSE', { cwd: packageRoot });
  const text = file === undefined ? '' : read(file);
  return { name: 'Node', version: process.version, license: 'MIT, and the licenses of its libraries', text };
}

/**
 * Returns the licenses of everything in the package. Those of third parties are in a separate file, because
 * Debian's policy allows no full texts of common licenses here.
 */
const copyrightText = (packages: readonly ShippedPackage[], thirdPartyFile: string): string =>
  [
    `Request Guard\n\n${read('LICENSE').trim()}`,
    `The package also contains these programs. Their licenses and copyright notices are in /${thirdPartyFile}.
The text of Apache-2.0 is also in /usr/share/common-licenses/Apache-2.0.`,
    packages.map(({ name, version, license }) => `${name} ${version} (${license})`).join('\n'),
    '',
  ].join('\n\n');

/** Returns the changelog of the packaging, which has one entry: each release is built once. */
const changelogText = (name: string, version: string, date: Date): string =>
  `${name} (${debianVersion(version)}) stable; urgency=medium

  * Release ${version}. Its changes are in changelog.gz.

 -- ${maintainer}  ${date.toUTCString().replace('GMT', '+0000')}
`;

export const gzipped = (text: string): Buffer => gzipSync(text, { level: 9 });

/** Returns the documents of a package. @param packages everything in it that others made */
export function documents(name: string, version: string, packages: readonly ShippedPackage[]): PackedFiles {
  const folder = `usr/share/doc/${name}`;
  const thirdPartyFile = `${folder}/third-party.gz`;
  return {
    [`${folder}/copyright`]: { content: copyrightText(packages, thirdPartyFile) },
    [thirdPartyFile]: { content: gzipped(licensesText(packages)) },
    [`${folder}/changelog.gz`]: { content: gzipped(read('CHANGELOG.md')) },
    [`${folder}/changelog.Debian.gz`]: { content: gzipped(changelogText(name, version, new Date())) },
  };
}
