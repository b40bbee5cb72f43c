import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { type PolicyTest, vectorFiles } from '../../contract/vectors/schema.ts';
import { loadPolicy } from '../../contract/load/index.ts';

const folder = join(packageRoot, 'conformance/vectors');
const files = readdirSync(folder).filter((name) => /^policies-[a-z]+\.json$/.test(name));

const read = (file: string) =>
  vectorFiles.policies.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))).flatMap(({ tests }) => tests);

const bytesOf = ({ text, textBase64 }: PolicyTest) =>
  Buffer.from(text ?? textBase64 ?? '', text === undefined ? 'base64' : 'utf8');

/** Returns the keys of `actual` that `expected` has. */
function partOf(actual: unknown, expected: Record<string, unknown>): Record<string, unknown> {
  const fields = actual as Record<string, unknown>;
  return Object.fromEntries(Object.keys(expected).map((key) => [key, fields[key]]));
}

function checkRefused(test: PolicyTest): void {
  const loaded = loadPolicy(bytesOf(test), test.id);
  assert.ok(!loaded.ok, 'the policy loads');
  const expected = test.problems ?? [];
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  const places = loaded.problems.map(({ kind, path, line }) => ({ kind, path, line })).sort(byPath);
  assert.deepEqual(places, expected.map(({ kind, path, line }) => ({ kind, path, line })).sort(byPath));
  for (const { path, nearest } of expected) {
    const hint: string = loaded.problems.find((problem) => problem.path === path)?.hint ?? '';
    if (nearest !== undefined) assert.ok(hint.includes(`"${nearest}"`), hint);
  }
}

function checkLoading(test: PolicyTest): void {
  const loaded = loadPolicy(bytesOf(test), test.id);
  assert.ok(loaded.ok, loaded.ok ? '' : JSON.stringify(loaded.problems));
  if (test.resolved) assert.deepEqual(partOf(loaded.value, test.resolved), test.resolved);
}

it('reads every file of policies', () => assert.deepEqual(files, ['policies-loading.json', 'policies-refused.json']));

for (const file of files)
  describe(file, () => {
    for (const test of read(file))
      it(`${test.id}: ${test.description}`, () => (test.ok ? checkLoading(test) : checkRefused(test)));
  });
