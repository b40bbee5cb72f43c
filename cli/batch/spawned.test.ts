/** Runs the bundled program with lists in real pipes. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';

const bin = join(packageRoot, 'dist/bin/guardcli.js');
const argv = [bin, 'test', '--paths', '-', '--json'];
const piece = '/blog/a-title\n/.env\n'.repeat(5000);

/** Runs a bash command line in which `judge` is the program reading standard input. */
function shell(line: string): string {
  const judge = `judge() { '${process.execPath}' ${argv.map((word) => `'${word}'`).join(' ')}; }; cd /;`;
  const { stdout } = spawnSync('bash', ['--norc', '-c', `${judge} { ${line}; } 2>&1`], { encoding: 'utf8' });
  return stdout;
}

describe('lists in pipes', () => {
  it('produce one line per target', () => {
    const { stdout, status } = spawnSync(process.execPath, argv, { cwd: '/', input: piece, maxBuffer: 1 << 28 });
    assert.deepEqual([status, String(stdout).split('\n').length], [0, 10_001]);
  });
  it('exit 0 when the reader closes the pipe', () => {
    assert.match(shell('yes /.env | judge | head -1; echo "${PIPESTATUS[1]}"'), /^\{"line":1,.*\}\n0\n$/);
  });
  it('end when the program is interrupted', async () => {
    const child = spawn(process.execPath, argv, { cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => {}); // the program stops reading early
    child.stdin.write(piece);
    await once(child.stdout, 'data');
    child.stdout.resume();
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [130, null]);
  });
});
