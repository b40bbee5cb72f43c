/** The programs of a clone, `./guardcli` and `./tcp-guard`: one shell script that finds its clone through links. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { packageRoot } from '../platform/assets.ts';

const programs = ['guardcli', 'tcp-guard'];

/** A clone that is set up, whose programs print their names and arguments. */
function clone(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'guard clone-'));
  t.after(() => rmSync(folder, { recursive: true }));
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
  test(`./${name} runs the program with its arguments`, (t) => {
    const folder = clone(t);
    assert.equal(execFileSync(`./${name}`, ['a b', '--c'], { cwd: folder, encoding: 'utf8' }), `${name} a b|--c\n`);
  });
  test(`${name} is found through links of any name, relative or not`, (t) => {
    const folder = clone(t);
    symlinkSync(join(folder, name), join(folder, 'dist/first'));
    symlinkSync('dist/first', join(folder, 'second'));
    assert.equal(execFileSync(join(folder, 'second'), ['x'], { cwd: '/', encoding: 'utf8' }), `${name} x\n`);
  });
}
