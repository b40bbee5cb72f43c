/** Runs the log rotation of packaging/ while the daemon writes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { startGuard } from './process.ts';

const program = '/usr/sbin/logrotate';
const skip = existsSync(program) ? false : `there is no ${program}`;

const shipped = readFileSync(join(packageRoot, 'packaging/logrotate/tcp-guard'), 'utf8');

/** Adapts the file to another log and a daemon without systemd, which runs as the user of the test. */
function rotation(log: string, pid: number): string {
  const place = shipped.replace('/var/log/guard/tcp-guard.jsonl', log).replace('su guard guard', 'su root root');
  const rotated = place.replace(/^.*systemctl kill --signal=USR1 .*$/m, `\t\tkill -USR1 ${pid}`);
  assert.ok(rotated.includes(log) && rotated.includes(`kill -USR1 ${pid}`));
  return rotated;
}

test('no record is lost over two rotations, and the one before the last is compressed', { skip }, async (t) => {
  const folder = scratchFolder('guard-logs-');
  const log = join(folder, 'tcp-guard.jsonl');
  const guard = await startGuard(t, {}, { log_file: log });
  writeFileSync(join(folder, 'conf'), rotation(log, guard.pid), { mode: 0o600 });
  // File names contain the second, and logrotate does not overwrite a file.
  const rotate = () =>
    until(async () => {
      const run = spawnSync(program, ['--force', '--state', join(folder, 'state'), join(folder, 'conf')]);
      const isTaken = /already exists, skipping rotation/.test(String(run.stderr));
      assert.ok(run.status === 0 || isTaken, String(run.stderr));
      return !isTaken;
    }, 'a rotation');
  const rotated = () => readdirSync(folder).filter((name) => name.startsWith('tcp-guard.jsonl-'));
  const record = async (ip: string): Promise<void> => {
    assert.equal((await guard.ask('POST', '/ban', { ip })).status, 201);
    await until(async () => existsSync(log) && readFileSync(log, 'utf8').includes(ip), `the record of ${ip}`);
  };
  await record('198.51.100.1');
  await rotate();
  // Waits for the daemon to create the file again, after the signal.
  await until(async () => existsSync(log), 'the new file');
  await record('198.51.100.2');
  const [first = ''] = rotated();
  assert.match(readFileSync(join(folder, first), 'utf8'), /198\.51\.100\.1/);
  assert.doesNotMatch(readFileSync(log, 'utf8'), /198\.51\.100\.1/);
  await rotate();
  await until(async () => existsSync(log), 'the new file');
  await record('198.51.100.3');
  assert.match(gunzipSync(readFileSync(join(folder, `${first}.gz`))).toString(), /198\.51\.100\.1/);
  const kept = rotated().find((name) => !name.endsWith('.gz')) ?? '';
  assert.match(readFileSync(join(folder, kept), 'utf8'), /198\.51\.100\.2/);
  assert.deepEqual(JSON.parse((await guard.ask('GET', '/health')).body).status, 'ok');
});
