/** Tests `./guardcli` and `./tcp-guard`: one shell script that finds its clone through links. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../platform/assets.ts';
import { scratchFolder } from '../platform/scratch-folder.ts';

const programs = ['guardcli', 'tcp-guard'];

/** Creates a clone whose programs print their names and arguments. */
function clone(): string {
  const folder = scratchFolder('guard clone-');
  for (const name of programs) {
    cpSync(join(packageRoot, name), join(folder, name), { verbatimSymlinks: true });
    write(join(folder, `dist/bin/${name}.js`), `console.log('${name}', process.argv.slice(2).join('|'))`);
  }
  for (const file of ['node_modules/re2/build/Release/re2.node', 'dist/.built']) write(join(folder, file), '');
  mkdirSync(join(folder, '.toolchain'));
  symlinkSync(process.execPath, join(folder, '.toolchain/node'));
  return folder;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

for (const name of programs) {
  test(`./${name} runs the program with its arguments, also through links with any name`, () => {
    const folder = clone();
    symlinkSync(join(folder, name), join(folder, 'dist/first'));
    symlinkSync('dist/first', join(folder, 'second'));
    for (const path of [`./${name}`, join(folder, 'second')]) {
      assert.equal(execFileSync(path, ['a b', '--c'], { cwd: folder, encoding: 'utf8' }), `${name} a b|--c\n`);
    }
  });
}

/** Changes of a clone that was built a minute ago. `.git` is a file, as in a worktree. */
const changes: Readonly<Record<string, (folder: string) => void>> = {
  'an uncommitted edit': (folder) => write(join(folder, 'daemon/bans/a.ts'), 'edited'),
  'removing a source': (folder) => rmSync(join(folder, 'contract/a.ts')),
};

function builtClone(): string {
  const folder = clone();
  const sources = ['cli/a.ts', 'contract/a.ts', 'daemon/bans/a.ts', 'platform/a.ts', 'sandbox-images/a.ts'];
  for (const file of [...sources, 'package-lock.json', '.git']) write(join(folder, file), '');
  write(join(folder, 'scripts/bootstrap'), '#!/bin/sh\necho builds\n');
  chmodSync(join(folder, 'scripts/bootstrap'), 0o755);
  const [before, built] = [120, 60].map((seconds) => new Date(Date.now() - seconds * 1000)) as [Date, Date];
  const folders = ['.', 'daemon', ...sources.map(dirname)];
  for (const path of [...sources, ...folders, 'package-lock.json']) utimesSync(join(folder, path), before, before);
  utimesSync(join(folder, 'dist/.built'), built, built);
  return folder;
}

const printed = (folder: string): string =>
  execFileSync('sh', ['-c', './guardcli 2>&1'], { cwd: folder, encoding: 'utf8' });

test('./guardcli does not rebuild an up-to-date build', () => assert.equal(printed(builtClone()), 'guardcli \n'));

for (const [change, make] of Object.entries(changes)) {
  test(`./guardcli builds first after ${change}`, () => {
    const folder = builtClone();
    make(folder);
    assert.equal(printed(folder), 'builds\nguardcli \n');
  });
}
