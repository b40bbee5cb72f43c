import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadDaemon } from '../../../contract/load/daemon.ts';
import { ConfigError, UsageError } from '../../../platform/errors.ts';
import type { Context } from '../../program/context.ts';
import { readMountedFiles } from './mounted-files.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'guard-mounted-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

function mounted(t: TestContext, cwd: string, text: string, passed = {}) {
  const loaded = loadDaemon(Buffer.from(text), 'tcp-guard.yaml');
  assert.ok(loaded.ok);
  const context = { cwd, signal: t.signal } as Context;
  return readMountedFiles(loaded.value, join(cwd, 'tcp-guard.yaml'), passed, context);
}

const web = (policy: string) =>
  `services: {web: {listen: ":80", upstream: "h:80", protocol: http, http: {policy: ${policy}}}}`;

test('reads policies relative to the configuration', async (t) => {
  const cwd = folder(t);
  writeFileSync(join(cwd, 'guard.json'), '{"mode": "detect"}');
  const { policies, database } = await mounted(t, cwd, web('guard.json'));
  assert.equal(policies.get('guard.json')?.policy.mode, 'detect');
  assert.equal(database, undefined);
});

test('refuses a missing or invalid policy, like the daemon', async (t) => {
  const cwd = folder(t);
  await assert.rejects(mounted(t, cwd, web('absent.json')), UsageError);
  writeFileSync(join(cwd, 'guard.json'), '{"x": 1}');
  await assert.rejects(mounted(t, cwd, web('guard.json')), ConfigError);
});

test('replaces a missing database and refuses an invalid one', async (t) => {
  const cwd = folder(t);
  const { database } = await mounted(t, cwd, 'global: {geoip_db: absent.mmdb}');
  if (typeof database === 'object') {
    assert.equal(database.insteadOf, 'absent.mmdb');
    assert.equal(database.countryOf('8.8.8.8'), 'US');
    writeFileSync(join(cwd, 'own.mmdb'), database.bytes);
    const own = (await mounted(t, cwd, 'global: {geoip_db: own.mmdb}')).database;
    assert.ok(typeof own === 'object' && own.insteadOf === undefined && own.bytes.length === database.bytes.length);
  } else assert.match(database ?? '', /no such file/); // a package without its test data
  writeFileSync(join(cwd, 'none.mmdb'), 'no database');
  const none = await mounted(t, cwd, 'global: {geoip_db: none.mmdb}');
  assert.equal(typeof none.database, 'string');
});

test('reads no policy outside of the folder of the configuration, which an error would quote', async (t) => {
  const [cwd, elsewhere] = [folder(t), folder(t)];
  writeFileSync(join(elsewhere, 'keys'), 'a-key-of-this-machine');
  symlinkSync(join(elsewhere, 'keys'), join(cwd, 'guard.json'));
  mkdirSync(join(cwd, '.git'));
  writeFileSync(join(cwd, '.git/config'), 'a-key-of-this-machine');
  const climbing = join('..', elsewhere.split('/').at(-1) ?? '', 'keys');
  for (const path of [
    'guard.json',
    join(elsewhere, 'keys'),
    climbing,
    '.git/config',
    '/etc/shadow',
    '/dev/zero',
    '/absent',
  ])
    await assert.rejects(mounted(t, cwd, web(path)), { code: 'file_outside' }, path);
});

test('a variable in a path has only a value that is passed on, which no error prints', async (t) => {
  const cwd = folder(t);
  writeFileSync(join(cwd, 'guard.json'), '{}');
  const file = web('"${NAME}.json"');
  await assert.rejects(mounted(t, cwd, file), {
    message: 'services.web.http.policy cannot have the made-up value of ${NAME}',
  });
  assert.ok((await mounted(t, cwd, file, { NAME: 'guard' })).policies.has('${NAME}.json'));
  await assert.rejects(mounted(t, cwd, file, { NAME: 'value' }), { message: 'cannot read ${NAME}.json: no such file' });
  await assert.rejects(mounted(t, cwd, 'global: {geoip_db: "${NAME}"}'), { code: 'variable_unfit' });
});
