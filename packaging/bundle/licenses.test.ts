import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { packageIn } from './licenses.ts';

/** Licenses that allow use in a product under the MIT license, when their texts are shipped. */
const accepted = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
];

/** Every package that npm installs for a user. */
function installed(): string[] {
  const args = ['ls', '--omit=dev', '--omit=peer', '--all', '--parseable'];
  const lines = execFileSync('npm', args, { cwd: packageRoot, encoding: 'utf8' }).trim().split('\n');
  return lines.filter((folder) => folder.includes('node_modules') && !folder.endsWith('request-guard-toolchain'));
}

describe('the licenses of the npm packages that users get', () => {
  const packages = installed().map(packageIn);
  it('are accepted ones', () => {
    assert.ok(packages.length > 50, String(packages.length));
    const isAccepted = (license: string): boolean =>
      license
        .replace(/[()]/g, '')
        .split(' OR ')
        .some((one) => accepted.includes(one));
    const others = packages.filter(({ license }) => !isAccepted(license));
    assert.deepEqual(
      others.map(({ name, license }) => `${name}: ${license}`),
      [],
    );
  });
});
