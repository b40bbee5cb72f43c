import assert from 'node:assert/strict';
import { it } from 'node:test';
import { groupFix } from './readable.ts';

it('never suggests the group root, which reads more than logs', () => {
  assert.equal(groupFix('root'), undefined);
  assert.match(groupFix('caddy') ?? '', /^add SupplementaryGroups=caddy to /);
});
