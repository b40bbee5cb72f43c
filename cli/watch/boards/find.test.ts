import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { shippedFolder } from '../../stack/files.ts';
import { scratch } from '../../testing/scratch.ts';
import { findBoards } from './find.ts';

const below = 'grafana/dashboards';
const shipped = 'guard-live.json';

/** Creates the folder of a stack with one dashboard. The name of its file sorts last. */
function stack(): { readonly dir: string; readonly folder: string } {
  const dir = scratch();
  const folder = join(dir, below);
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(shippedFolder, below, shipped), join(folder, `z-${shipped}`));
  return { dir, folder };
}

describe('the dashboards of a stack', () => {
  it('are those that can be read', () => {
    const { dir, folder } = stack();
    symlinkSync('user@host.1234:5678', join(folder, `.#${shipped}`));
    mkdirSync(join(folder, 'folder.json'));
    writeFileSync(join(folder, 'broken.json'), '{');
    assert.equal(findBoards(dir).length, 1);
  });
  it('are found behind many files that cannot be read', () => {
    const { dir, folder } = stack();
    for (let index = 0; index < 200; index += 1) symlinkSync('absent', join(folder, `${index}.json`));
    assert.equal(findBoards(dir).length, 1);
  });
  it('are the shipped ones where the folder cannot be listed', () => {
    const { dir, folder } = stack();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    assert.ok(findBoards(dir).length > 1);
  });
});
