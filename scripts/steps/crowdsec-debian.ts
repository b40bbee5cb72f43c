/** CrowdSec of Debian for the tests: unpacked into the cache folder and never installed, so that no service starts. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../platform/cache.ts';
import { type Task, Unavailable } from '../graph/task.ts';
import { canInstall } from './debian.ts';

const folder = () => join(cacheFolder(), 'crowdsec');
const program = () => join(folder(), 'usr/bin/crowdsec');

/** It links to the system's SQLite, which may be missing. */
const runs = (): boolean => spawnSync(program(), ['-version'], { stdio: 'ignore' }).status === 0;

export const crowdsecDebian: Task = {
  name: 'crowdsec-debian',
  does: "unpacking Debian's CrowdSec",
  needs: [],
  done: () => existsSync(program()) && runs(),
  run: async ({ command }) => {
    if (!canInstall()) throw new Unavailable("CrowdSec comes from Debian's packages");
    mkdirSync(cacheFolder(), { recursive: true });
    const work = mkdtempSync(join(cacheFolder(), '.crowdsec-'));
    try {
      const download = () => command('apt-get', ['-q', 'download', 'crowdsec'], { cwd: work });
      // Lists of packages may be missing, or name a version that the archive no longer has.
      await download().catch(() => command('apt-get', ['-q', 'update']).then(download));
      const [file] = readdirSync(work);
      if (!file) throw new Error('apt-get brought no package');
      const unpacked = join(work, 'unpacked');
      await command('dpkg-deb', ['-x', join(work, file), unpacked]);
      rmSync(folder(), { recursive: true, force: true });
      renameSync(unpacked, folder());
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
    if (!runs()) throw new Unavailable('CrowdSec does not run here: it needs libsqlite3-0');
    return undefined;
  },
  mend: 'run `apt-get update`, and install libsqlite3-0 if it is missing, then run the same command again',
};
