import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratch } from '../testing/scratch.ts';
import { editorArguments, runEditor } from './editor.ts';

const editors: readonly (readonly [editor: string, args: readonly string[]])[] = [
  ['vi', ['+3', '/a b']],
  ['/usr/bin/nano -w', ['+3', '/a b']],
  ['code --new-window', ['--wait', '--goto', '/a b:3']],
  ['subl', ['--wait', '/a b:3']],
  ['hx', ['/a b:3']],
];
for (const [editor, args] of editors)
  test(`opens a line in ${editor}`, () => assert.deepEqual(editorArguments(editor, '/a b', 3), args));

test('runs the editor of the environment with its options', async () => {
  const cwd = scratch({ 'editor.sh': 'printf "%s\\n" "$@" >seen' });
  await runEditor('/x y', 2, { cwd, env: { EDITOR: 'sh editor.sh --wide' } });
  assert.equal(readFileSync(join(cwd, 'seen'), 'utf8'), '--wide\n+2\n/x y\n');
});

test('says what to do when the editor is missing or fails', async () => {
  const run = (VISUAL: string) =>
    runEditor('/x', 1, { cwd: '/', env: { VISUAL, EDITOR: 'true', PATH: '/bin:/usr/bin' } });
  await assert.rejects(run('nonesuch'), /no program nonesuch; set VISUAL or EDITOR/);
  await assert.rejects(run('false'), /false ended with 1; set VISUAL/);
});
