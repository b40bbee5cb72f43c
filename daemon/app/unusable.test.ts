import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';

/** Prints the URL of each module that is loaded. */
const listing = `data:text/javascript,import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });`;

test('a check loads the engine only where a service has a policy', () => {
  const folder = scratchFolder('guard-check-');
  writeFileSync(join(folder, 'guard.json'), '{}');
  const service = 'listen: "127.0.0.1:1", upstream: "127.0.0.1:2"';
  for (const [more, isLoaded] of [
    ['protocol: ssh', false],
    ['protocol: http, http: {policy: guard.json}', true],
  ] as const) {
    const file = join(folder, 'tcp-guard.yaml');
    writeFileSync(file, `services: {one: {${service}, ${more}}}\n`);
    const args = ['--import', listing, join(packageRoot, 'daemon/app/start.ts'), '--check', '-c', file];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.match(stdout, /: schema passed$/m, stderr);
    assert.equal(stdout.includes('/engine/index.ts'), isLoaded, more);
  }
});

/** Only root can become a user who may not write to a folder. */
const isRoot = process.getuid?.() === 0;

test('a check names a data folder and an audit file that cannot be written', {
  skip: !isRoot && 'it needs root',
}, () => {
  const folder = scratchFolder('guard-check-');
  chmodSync(folder, 0o755);
  const [file, inside, locked] = ['tcp-guard.yaml', 'file', 'locked'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(inside, '', { mode: 0o600 });
  mkdirSync(locked, { mode: 0o700 });
  const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath];
  for (const [global, ...expected] of [
    [
      `data_dir: ${folder}/data, log_file: ${folder}/new/a.jsonl`,
      'data: permission denied',
      'new/a.jsonl: permission denied',
    ],
    [`data_dir: ${inside}, log_file: ${locked}`, 'file: not a folder', 'locked: it is a folder'],
    [`data_dir: ${locked}, log_file: ${inside}`, 'locked: permission denied', 'file: permission denied'],
    [`data_dir: ${inside}/data, log_file: ${inside}/a`, 'file/data: ', 'file/a: '],
  ] as const) {
    writeFileSync(file, `version: 1\nglobal: {${global}}\n`);
    const args = [join(packageRoot, 'daemon/app/start.ts'), '--check', '-c', file];
    const { stderr, status } = spawnSync('setpriv', [...asNobody, ...args], { encoding: 'utf8' });
    assert.equal(status, 0);
    for (const [index, key] of ['data_dir', 'log_file'].entries())
      assert.ok(stderr.includes(`warning: global.${key}: ${folder}/${expected[index]}`), stderr);
    const { stderr: asRoot } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal(asRoot.includes('permission denied'), false, asRoot);
  }
});
