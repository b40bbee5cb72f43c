/** Runs the bundled program like a user who replays a log and allows a false positive. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../../platform/assets.ts';
import { scratch } from '../../testing/scratch.ts';

const bin = join(packageRoot, 'dist/bin/guardcli.js');

function shell(line: string, cwd: string): string {
  const prelude = `guardcli() { '${process.execPath}' '${bin}' "$@"; };`;
  return spawnSync('bash', ['--norc', '-c', `${prelude} { ${line}; } 2>&1`], { encoding: 'utf8', cwd }).stdout;
}

describe('a suspected false positive', () => {
  const page = 'https://shop.example.com/';
  const line = `192.0.2.1 - - [22/Nov/2026:13:50:09 +0000] "GET /it's$HOME/.env?a HTTP/1.1" 200 5 "${page}" "x"\n`;
  it('is allowed by the command that the replay prints', () => {
    const folder = scratch({ 'guard.json': '{\n  "mode": "detect"\n}\n', 'access.log': line });
    const replay = 'guardcli replay access.log --host shop.example.com';
    const remedy = /^ +(guardcli allow .*)$/m.exec(shell(replay, folder))?.[1];
    assert.match(
      shell(`${remedy} --write; echo "status $?"`, folder),
      /\nguard\.json has this entry [\s\S]*\nstatus 0\n$/,
    );
    assert.match(shell(replay, folder), /\n {2}allowed +1 \(100/);
    assert.match(shell('guardcli validate', folder), /^guard\.json: schema passed\n/);
  });
  it('is added once by commands that run at the same time', () => {
    const folder = scratch({ 'guard.json': '{}' });
    const targets = ['/a/.env', '/b/.env', '/c/.env', '/d/.env'];
    const output = shell(`${targets.map((one) => `guardcli allow ${one} --write &`).join(' ')} wait`, folder);
    assert.equal(output.match(/has this entry|changed while it was|another command edits/g)?.length, targets.length);
    const { exceptions } = JSON.parse(shell('cat guard.json', folder)) as { readonly exceptions: readonly unknown[] };
    assert.equal(exceptions.length, output.match(/has this entry/g)?.length);
    assert.match(shell('guardcli validate; ls', folder), /schema passed[\s\S]*\nguard\.json\n$/);
  });
});
