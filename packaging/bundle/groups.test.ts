import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Metafile } from 'esbuild';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { bundlePrograms } from './bundle.ts';
import { groupRoots } from './groups.ts';

/** Most chunks that a command imports, also those that the start has imported. */
const most = { 'cli/commands/test.ts': 8, 'cli/commands/validate.ts': 16, 'cli/commands/version.ts': 5 };

function chunksOf({ outputs }: Metafile, source: string): Set<string> {
  const entry = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === `entry:${source}`)?.[0];
  assert.ok(entry !== undefined, source);
  const found = new Set([entry]);
  for (const file of found)
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') found.add(path);
  return found;
}

describe('the bundle of guardcli', () => {
  const folder = scratchFolder('guard-bundle-');
  let metafile: Metafile;
  before(async () => {
    metafile = await bundlePrograms(folder, ['guardcli'], true);
  });

  for (const [source, count] of Object.entries(most))
    it(`loads ${source} in at most ${count} chunks`, () => {
      const files = [...chunksOf(metafile, source)].filter((file) => !/^(?:re2|node:)/.test(file));
      assert.ok(files.length <= count, files.join('\n'));
    });

  it('keeps zod and YAML out of test without a policy', () => {
    const inputs = [...chunksOf(metafile, 'cli/commands/test.ts')].flatMap((file) =>
      Object.keys(metafile.outputs[file]?.inputs ?? {}),
    );
    assert.deepEqual(
      inputs.filter((input) => /node_modules\/(?:zod|yaml)\//.test(input)),
      [],
    );
  });

  // V8 stores a text with one other character in twice the memory, and Node decodes it more slowly.
  it('has only ASCII in the chunks of test', () => {
    for (const name of readdirSync(join(folder, 'chunks'))) {
      const isLoaded = [...chunksOf(metafile, 'cli/commands/test.ts')].some((file) => file.endsWith(`/${name}`));
      if (isLoaded) assert.match(readFileSync(join(folder, 'chunks', name), 'latin1'), /^[\0-\x7f]*$/, name);
    }
  });

  it('has groups of files that it imports', () => {
    for (const root of groupRoots.flat()) assert.ok(metafile.inputs[root], root);
  });
});
