import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadDaemon } from '../../contract/load/daemon.ts';
import { ConfigError, UsageError } from '../../platform/errors.ts';
import type { Context } from '../program/context.ts';
import { readMountedFiles } from './mounted-files.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'guard-mounted-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

function mounted(t: TestContext, cwd: string, text: string) {
  const loaded = loadDaemon(Buffer.from(text), 'tcp-guard.yaml', {});
  assert.ok(loaded.ok);
  const context = { cwd, signal: t.signal } as Context;
  return readMountedFiles(loaded.value, join(cwd, 'tcp-guard.yaml'), context);
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
