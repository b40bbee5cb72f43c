import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { UsageError } from '../platform/errors.ts';
import { localArch } from './build.ts';
import { nodeForLinux } from './node.ts';

it('a Node for a container that the cache refuses is an error of the user', async (t) => {
  const [folder, before] = [mkdtempSync(join(tmpdir(), 'guard-cache-')), process.env.XDG_CACHE_HOME];
  t.after(() => {
    rmSync(folder, { recursive: true });
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
  });
  writeFileSync(join(folder, 'request-guard'), '');
  process.env.XDG_CACHE_HOME = folder;
  await assert.rejects(nodeForLinux(localArch()), UsageError);
});
