import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { scratchFolder } from '../../../platform/scratch-folder.ts';
import { findDriver } from './find.ts';

/** Returns an environment whose PATH has a program with this name. */
function machineWith(program: string): { PATH: string } {
  const path = join(scratchFolder('guard-browser-'), program);
  writeFileSync(path, '');
  chmodSync(path, 0o755);
  return { PATH: dirname(path) };
}

const nothing = { PATH: '/nonexistent' };
const lacks = (...args: Parameters<typeof findDriver>): string => {
  const found = findDriver(...args);
  return 'lacks' in found ? found.lacks : assert.fail(found.path);
};

describe('a browser for the probes', () => {
  it('is one on the PATH, when the packages that drive it are installed', () => {
    const env = machineWith('chromium');
    assert.deepEqual(findDriver(env), { path: join(env.PATH, 'chromium') });
  });
  it('is missing without one of the packages, and npm installs the tested version', () => {
    const text = lacks(machineWith('chromium'), (name) => name !== 'axe-core');
    assert.match(text, /^without axe-core: npm install (?:-g|--save-dev) axe-core@\d+\.\d+\.\d+$/);
  });
  it('names everything that is missing in one message', () => {
    const text = lacks(nothing, () => false);
    assert.match(text, /^no Chromium on this machine: .*; without axe-core and playwright-core: npm install .*@.* .*@/);
  });
});
