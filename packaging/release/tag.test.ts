import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { packageRoot } from '../../platform/assets.ts';
import { images } from '../container/images.ts';
import { channels } from './channels.ts';
import { problemOfTag } from './tag.ts';

describe('the tag of a release', () => {
  it('is that of the version, on a commit with the names of a release', () => {
    assert.equal(problemOfTag('v1.2.3', '1.2.3', true), undefined);
    for (const tag of ['v1.2.4', '1.2.3', 'v1.2.3-rc.1', ''])
      assert.match(problemOfTag(tag, '1.2.3', true) ?? '', /is not that of version 1\.2\.3/);
    assert.match(problemOfTag('v1.2.3', '1.2.3', false) ?? '', /^the pages .* Set isPublished/);
  });

  it('is refused before anything is made', () => {
    const main = join(packageRoot, 'packaging/release/main.ts');
    const args = [main, '--dry-run', '--tag', 'v99.0.0\u001b[2J'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^release: the tag "v99\.0\.0\\u001b\[2J" is not that of version .*\n$/);
  });
});

interface Step {
  readonly run?: string;
  readonly uses?: string;
}
interface Job {
  readonly permissions: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly image: readonly string[] } };
  readonly steps: readonly Step[];
}

describe('the workflow of a release', () => {
  const { on, permissions, jobs } = parse(readFileSync(join(packageRoot, '.github/workflows/release.yml'), 'utf8'));
  const { release, 'attest-images': attest } = jobs as Record<'release' | 'attest-images', Job>;
  const runs = release.steps.flatMap(({ run = [] }) => run);

  it('runs for tags only, and gives permission to write to its jobs alone', () => {
    assert.deepEqual([on, permissions], [{ push: { tags: ['v*'] } }, { contents: 'read' }]);
    for (const job of [release, attest]) assert.equal(job.permissions['id-token'], 'write');
  });

  it('checks the tag first, and publishes channels that exist, npm last', () => {
    assert.equal(runs[0], 'npm run release -- --dry-run --tag "$GITHUB_REF_NAME"');
    const published = runs.flatMap((run) => /^sh \.cache\/release\/(\w+)\/publish\.sh$/.exec(run)?.[1] ?? []);
    assert.deepEqual(published, ['debian', 'images', 'npm']);
    for (const name of published)
      assert.ok(
        channels.some((channel) => channel.name === name),
        name,
      );
    const npm = channels.find(({ name }) => name === 'npm');
    assert.match(npm?.publish(['x.tgz', 'x.cdx.json'], '1.0.0')[0] ?? '', /^npm publish --provenance /);
  });

  it('attests the provenance of every image', () => {
    assert.deepEqual(
      attest.strategy?.matrix.image,
      images.map(({ name }) => name),
    );
  });
});

describe('the workflows and action.yml', () => {
  it('name every action by commit, because its tag can be moved to other code', () => {
    const files = globSync(['.github/workflows/*.yml', 'examples/ci/*.yml', 'action.yml'], { cwd: packageRoot });
    const used = files.flatMap((file) =>
      [...readFileSync(join(packageRoot, file), 'utf8').matchAll(/uses: (?!\.\/)(\S+)/g)].map(([, action]) => action),
    );
    assert.ok(used.length > 20, String(used.length));
    for (const action of used) assert.match(action ?? '', /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });
});
