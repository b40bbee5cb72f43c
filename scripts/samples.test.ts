import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSamples } from './samples.ts';

const page = (output: string) => `a\n<!-- sample: guardcli test '/x y' --check-query -->${output}<!-- end -->\nb`;

test('replaces a stale sample with the output of the command', async () => {
  const stale = page('\n\n```\n$ guardcli test\nBLOCKED 79\n```\n\n');
  const fresh = await withSamples(stale);
  assert.match(
    fresh,
    /^a\n<!-- sample: .* -->\n\n```\n\$ guardcli test '\/x y' --check-query\nGET \/x y\n[\s\S]*ALLOWED[\s\S]*```\n\n<!-- end -->\nb$/,
  );
  assert.equal(await withSamples(fresh), fresh);
});

test('does not change a page without samples', async () =>
  assert.equal(await withSamples('a\n```\n```\n'), 'a\n```\n```\n'));
