import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { inputsOf } from '../../scripts/steps/build.ts';
import { replaceFolder } from './build.ts';

function folder(files: Readonly<Record<string, string>>): string {
  const root = scratchFolder('guard-build-');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

describe('a new dist/', () => {
  const fresh = { 'new/bin/guardcli.js': 'new', 'new/bin/chunks/b.js': 'new' };
  const old = { 'dist/bin/guardcli.js': 'old', 'dist/bin/chunks/a.js': 'old', 'dist/gone.test.js': 'old' };

  it('takes the place of the old one, with the chunks that running programs still load', () => {
    const root = folder({ ...old, ...fresh });
    replaceFolder(join(root, 'new'), join(root, 'dist'));
    assert.equal(readFileSync(join(root, 'dist/bin/guardcli.js'), 'utf8'), 'new');
    const left = ['dist/bin/chunks/a.js', 'dist/bin/chunks/b.js', 'dist/gone.test.js', 'new', 'new.old'];
    assert.deepEqual(
      left.map((name) => existsSync(join(root, name))),
      [true, true, false, false, false],
    );
  });

  it('leaves out chunks of hours ago', () => {
    const root = folder({ ...old, ...fresh });
    utimesSync(join(root, 'dist/bin/chunks/a.js'), 0, 0);
    replaceFolder(join(root, 'new'), join(root, 'dist'));
    assert.equal(existsSync(join(root, 'dist/bin/chunks/a.js')), false);
  });

  it('can be the first one', () => {
    const root = folder(fresh);
    replaceFolder(join(root, 'new'), join(root, 'dist'));
    assert.equal(readFileSync(join(root, 'dist/bin/guardcli.js'), 'utf8'), 'new');
  });
});

describe('the inputs of the build', () => {
  it('are the sources below every folder that tsconfig.json includes', () => {
    const root = folder({
      'tsconfig.json': '{"include": ["one", "two"]}',
      'one/a.ts': '',
      'two/deep/b.tsx': '',
      'two/c.json': '',
      'two/d.md': '',
      'three/e.ts': '',
    });
    assert.deepEqual(inputsOf(root).slice(3), ['one/a.ts', 'two/c.json', 'two/deep/b.tsx']);
  });

  it('of this clone include all of them', () => {
    const { include } = JSON.parse(readFileSync(join(packageRoot, 'tsconfig.json'), 'utf8')) as { include: string[] };
    const inputs = inputsOf(packageRoot);
    for (const name of include)
      assert.ok(
        inputs.some((file) => file.startsWith(`${name}/`)),
        name,
      );
  });
});
