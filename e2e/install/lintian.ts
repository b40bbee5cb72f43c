/** Checks a Debian package as Debian does. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Packages of tests are not compressed, because that takes minutes. Those of a release are. */
const tagsOfTests = ['uses-no-compression-for-control-tarball', 'uses-no-compression-for-data-tarball'];

/** Returns the findings. Rejects when there is an error without an override in the package. */
export async function lintian(file: string): Promise<string> {
  const args = ['--fail-on', 'error', '--suppress-tags', tagsOfTests.join(','), file];
  return (await promisify(execFile)('lintian', args)).stdout;
}
