import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runCaptured } from '../testing/captured.ts';

it('refuses a policy from standard input, which is the keyboard', async () => {
  const { status, stderr } = await runCaptured(['ui', '-c', '-']);
  assert.equal(status, 2);
  assert.match(stderr, /^error: the workbench cannot read its policy from standard input\. Pass a file/);
});
it('needs a terminal', async () => {
  const { status, stderr } = await runCaptured(['ui']);
  assert.equal(status, 2);
  assert.match(stderr, /^error: the workbench needs a terminal\./);
});
