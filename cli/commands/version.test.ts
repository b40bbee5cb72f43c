import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { runCaptured } from '../testing/captured.ts';
import type { VersionResult } from './version.ts';

const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };

describe('guardcli version', () => {
  for (const argv of [['version'], ['--version'], ['-V']]) {
    it(`prints the version of the package: ${argv}`, async () => {
      assert.deepEqual(await runCaptured(argv), { status: 0, stdout: `${version}\n`, stderr: '' });
    });
  }
  it('prints runtime, engine and components as JSON', async () => {
    const found = JSON.parse((await runCaptured(['version', '--json'])).stdout) as VersionResult;
    assert.deepEqual(Object.keys(found), ['version', 'runtime', 'engine', 'components']);
    assert.equal(found.runtime.node, process.versions.node);
    assert.match(found.engine.re2, /^\d+\.\d+\.\d+$/);
    for (const name of ['zod', 'commander', 'github.com/caddyserver/caddy/v2']) {
      assert.match(found.components[name] ?? '', /^v?\d+\.\d+\.\d+$/, name);
    }
  });
});
