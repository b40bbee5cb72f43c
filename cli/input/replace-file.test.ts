import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { scratch } from '../testing/scratch.ts';
import { replaceFile } from './replace-file.ts';

const before = Buffer.from('{}');

describe('replacing a file', () => {
  it('keeps its mode and the link to it, and leaves nothing else', () => {
    const folder = scratch({ real: before });
    chmodSync(join(folder, 'real'), 0o640);
    symlinkSync('real', join(folder, 'guard.json'));
    replaceFile(join(folder, 'guard.json'), before, '{"mode":"detect"}');
    assert.equal(readFileSync(join(folder, 'real'), 'utf8'), '{"mode":"detect"}');
    assert.equal(statSync(join(folder, 'real')).mode & 0o777, 0o640);
    assert.ok(lstatSync(join(folder, 'guard.json')).isSymbolicLink());
    assert.deepEqual(readdirSync(folder).sort(), ['guard.json', 'real']);
  });
  it('is refused when it changed or is gone', () => {
    const folder = scratch({ 'guard.json': before });
    const file = join(folder, 'guard.json');
    writeFileSync(file, '{ }');
    assert.throws(() => replaceFile(file, before, '{"a":1}'), { code: 'file_changed' });
    assert.throws(() => replaceFile(join(folder, 'gone'), before, '{"a":1}'), { code: 'file_unwritable' });
    assert.deepEqual([readFileSync(file, 'utf8'), readdirSync(folder)], ['{ }', ['guard.json']]);
  });
  it('is refused for a pipe, which no command waits for', () => {
    const pipe = join(scratch({}), 'guard.json');
    execFileSync('mkfifo', [pipe]);
    assert.throws(() => replaceFile(pipe, before, '{"a":1}'), {
      code: 'file_unwritable',
      message: `cannot write ${pipe}: it is not a regular file`,
    });
    assert.ok(lstatSync(pipe).isFIFO());
  });
  it('is refused while another command edits it', () => {
    const folder = scratch({ 'guard.json': before, 'guard.json.new': 'theirs' });
    const file = join(folder, 'guard.json');
    assert.throws(() => replaceFile(file, before, '{"a":1}'), { code: 'file_changed' });
    assert.deepEqual([readFileSync(file), readFileSync(`${file}.new`, 'utf8')], [before, 'theirs']);
  });
});
