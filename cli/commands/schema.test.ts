import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCaptured } from '../testing/captured.ts';

async function schema(...argv: string[]): Promise<Record<string, unknown>> {
  const { status, stdout, stderr } = await runCaptured(['schema', ...argv]);
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('guardcli schema', () => {
  it('prints the schema of the policy', async () => {
    const { $schema, properties, required } = await schema();
    assert.equal($schema, 'https://json-schema.org/draft/2020-12/schema');
    assert.ok(Object.hasOwn(properties as object, 'blockPatterns'));
    assert.equal(required, undefined);
  });
  it('prints the schema of the daemon with --tcp', async () => {
    const { $schema, properties } = await schema('--tcp');
    assert.equal($schema, 'https://json-schema.org/draft/2020-12/schema');
    assert.ok(Object.hasOwn(properties as object, 'threatfeed'));
  });
  it('prints the same document with --json', async () => assert.deepEqual(await schema('--json'), await schema()));
});
