/** The documents of the Debian package, in the forms of Debian's policy (chapter 12). */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { licensesText, type ShippedPackage } from '../bundle/licenses.ts';
import { debianVersion, maintainer } from './control.ts';

const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8').trim();

/** Where the package has the texts of `thirdPartyText`. */
export const thirdPartyFile = 'usr/share/doc/tcp-guard/third-party.gz';

/** Returns the license of Node, or an empty text when node_modules has no Node. */
const nodeLicense = (): string => {
  const [file] = globSync('node_modules/node-linux-*/LICENSE', { cwd: packageRoot });
  return file === undefined ? '' : read(file);
};

/**
 * Returns the licenses of everything in the package. Those of third parties are in a separate file, because
 * Debian's policy allows no full texts of common licenses here.
 */
export const copyrightText = (packages: readonly ShippedPackage[]): string =>
  [
    `Request Guard\n\n${read('LICENSE')}`,
    `The package also contains these programs. Their licenses and copyright notices are in /${thirdPartyFile}.
The text of Apache-2.0 is also in /usr/share/common-licenses/Apache-2.0.`,
    [
      `Node ${process.version} (MIT, and the licenses of its libraries)`,
      ...packages.map(({ name, version, license }) => `${name} ${version} (${license})`),
    ].join('\n'),
    '',
  ].join('\n\n');

export const thirdPartyText = (packages: readonly ShippedPackage[]): string =>
  `Node ${process.version}\n\n${nodeLicense()}\n\n${licensesText(packages)}`;

/** Returns the changelog of the packaging, which has one entry: each release is built once. */
export const changelogText = (version: string, date: Date): string =>
  `tcp-guard (${debianVersion(version)}) stable; urgency=medium

  * Release ${version}. Its changes are in changelog.gz.

 -- ${maintainer}  ${date.toUTCString().replace('GMT', '+0000')}
`;
