/** Runs the bundled program with logs in real pipes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { logFile, logs } from '../../logs/access/testing/samples.ts';
import { packageRoot } from '../../platform/assets.ts';
import { scratch } from '../testing/scratch.ts';

const bin = join(packageRoot, 'dist/bin/guardcli.js');

/** Runs a bash command line in which `guardcli` is the program. */
function shell(line: string, cwd: string, env = {}): string {
  const prelude = `guardcli() { '${process.execPath}' '${bin}' "$@"; };`;
  const options = { encoding: 'utf8', cwd, env: { ...process.env, ...env } } as const;
  return spawnSync('bash', ['--norc', '-c', `${prelude} { ${line}; } 2>&1`], options).stdout;
}

describe('logs in pipes and files', () => {
  it('are read as users pass them', () => {
    const [current, rotated] = [logFile(...logs.nginx), gzipSync(logFile(...logs.nginx))];
    const folder = scratch({ 'access.log': current, 'access.log.1.gz': rotated });
    assert.match(shell('guardcli replay access.log*', folder), /^14 requests of 2 logs$/m);
    assert.match(shell('zcat access.log.1.gz | guardcli replay -', folder), /^7 requests of 1 log$/m);
    assert.match(
      shell('guardcli replay - --json < access.log', folder),
      /^\{"type":"blocked","file":"<stdin>","line":1,/,
    );
  });
  it('exit 0 when the reader closes the pipe', () => {
    const folder = scratch({ 'access.log': Buffer.concat(Array(20_000).fill(logFile(logs.nginx[0]))) });
    const line = 'guardcli replay access.log --json | head -1 | cut -c -17; echo "$?" "${PIPESTATUS[0]}"';
    assert.equal(shell(line, folder), '{"type":"blocked"\n0 0\n');
  });
  it('take bounded memory, however different their requests are', () => {
    const folder = scratch();
    const agent = 'x'.repeat(2000);
    // Half of the requests are unique. The others occur 50 times each, so that they stay in the table of counts.
    for (let hundred = 0; hundred < 500; hundred += 1) {
      const lines = Array.from({ length: 100 }, (_, index) => {
        const name = index % 2 ? `${hundred}-${index}` : hundred;
        const request = `GET /${name}/.env HTTP/1.1" 200 5 "https://h${name}.example/`;
        return `10.0.${hundred % 256}.${index} - - [x] "${request}" "${agent}"`;
      });
      appendFileSync(join(folder, 'access.log'), logFile(...lines));
    }
    const output = shell('guardcli replay access.log', folder, { NODE_OPTIONS: '--max-old-space-size=64' });
    assert.match(output, /^50,000 requests of 1 log$/m);
  });
});
