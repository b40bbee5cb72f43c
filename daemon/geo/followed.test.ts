import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { temporaryFolder } from '../testing/daemon.ts';
import { createGeo } from './index.ts';
import { geoDatabase } from './testing/geo.ts';

const tooLarge = daemonBounds.geoDatabaseBytes + 1;

const replacements: Readonly<Record<string, readonly [place: (path: string) => void, problem: string]>> = {
  'a pipe': [(path) => execFileSync('mkfifo', [path]), 'not a regular file'],
  'an endless device': [(path) => symlinkSync('/dev/zero', path), 'not a regular file'],
  'a file above the limit': [
    (path) => {
      writeFileSync(path, '');
      truncateSync(path, tooLarge); // sparse: takes no space on disk
    },
    `it has ${tooLarge} bytes, and at most ${daemonBounds.geoDatabaseBytes} are read`,
  ],
};

for (const [what, [place, problem]] of Object.entries(replacements))
  test(`keeps the database in use when ${what} replaces its file, and reads a later database`, async (t) => {
    const path = join(temporaryFolder(), 'geo.mmdb');
    copyFileSync(geoDatabase, path);
    const faults: string[] = [];
    const read: string[] = [];
    const geo = createGeo({
      fault: (fault) => faults.push(fault),
      replaced: (message) => read.push(message),
      checkMs: 20,
    });
    t.after(() => geo.close());
    (await geo.prepare(path)).begin();
    rmSync(path);
    place(path);
    const expected = `geoip_db: cannot read the new file, the previous one stays in use: ${problem}`;
    await until(
      () => geo.problems().includes(expected),
      () => geo.problems().join(),
    );
    assert.ok(faults.includes(expected));
    assert.equal(geo.countryOf('8.8.8.8'), 'US');
    rmSync(path);
    copyFileSync(geoDatabase, path);
    await until(() => geo.problems().length === 0);
    assert.deepEqual(read, [`geoip_db: the file changed and was read again: ${path}`]);
    assert.equal(geo.countryOf('8.8.8.8'), 'US');
  });
