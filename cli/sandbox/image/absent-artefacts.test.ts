import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { compilerVariable } from '../../../artefacts/build.ts';
import { cacheFolder } from '../../../platform/cache.ts';
import { runCaptured } from '../../testing/captured.ts';
import { scratch } from '../../testing/scratch.ts';

/** Until the test ends: the cache folder is empty, and compiling fails because this Go version does not exist. */
function withoutArtefacts(t: TestContext): void {
  const changes: Record<string, string> = { XDG_CACHE_HOME: scratch(), [compilerVariable]: 'go1.99' };
  const before = Object.keys(changes).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, changes);
  t.after(() => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });
}

const tcp = { services: { ssh: { listen: ':2222', upstream: 'a:22', protocol: 'ssh' } } };

for (const name of ['caddy', 'traefik', 'nginx', 'tcp-guard'])
  test(`a dry run of ${name} compiles and copies nothing, and names what is absent`, async (t) => {
    withoutArtefacts(t);
    const { status, stdout, stderr } = await runCaptured(['sandbox', name, '-', '--dry-run'], {
      stdin: JSON.stringify({ tcp }),
    });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^# note: \S+\/artefacts\/runner-\w+ is absent: run guardcli sandbox without --dry-run/m);
    assert.match(stdout, /^docker image inspect .* -C \S+\/artefacts runner-\w+ .*docker build /m);
    assert.equal(existsSync(join(cacheFolder(), 'artefacts')), false);
  });
