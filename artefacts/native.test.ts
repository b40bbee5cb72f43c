import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { localArch } from './build.ts';
import { nativeFiles, symbolTooNew } from './native.ts';

test('a program that needs newer symbols than the base image has is detected', () => {
  const needs = (...versions: string[]) => symbolTooNew(versions.map((version) => `\0${version}\0`).join(''));
  assert.equal(needs('GLIBC_2.36', 'GLIBC_2.2.5', 'GLIBCXX_3.4.30', 'CXXABI_1.3.13'), undefined);
  assert.equal(needs('GLIBC_2.17', 'GLIBC_2.38'), 'GLIBC_2.38');
  assert.equal(needs('GLIBCXX_3.4.31'), 'GLIBCXX_3.4.31');
  assert.equal(needs('CXXABI_1.3.14'), 'CXXABI_1.3.14');
  assert.equal(needs('GLIBC_3'), undefined, 'no version of that form');
});

test('the program of a native module is copied for this kind of machine only', () => {
  const arch = localArch();
  const own = nativeFiles('re2', arch);
  if (process.platform === 'linux' && own.problem === undefined)
    assert.ok(own.paths.includes('node_modules/re2/build/Release/re2.node'));
  const foreign = nativeFiles('re2', arch === 'amd64' ? 'arm64' : 'amd64');
  assert.deepEqual(foreign.paths, ['node_modules/re2/package.json']);
  assert.match(foreign.problem ?? '', /^this machine has it for /);
  for (const { root, paths } of [own, foreign]) for (const path of paths) assert.ok(existsSync(join(root, path)), path);
});
