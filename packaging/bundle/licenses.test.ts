import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { installedPackages, isAccepted } from './licenses.ts';

describe('the licenses of the npm packages that users get', async () => {
  const packages = await installedPackages();
  it('are accepted ones', () => {
    assert.ok(packages.length > 50, String(packages.length));
    const others = packages.filter(({ license }) => !isAccepted(license));
    assert.deepEqual(
      others.map(({ name, license }) => `${name}: ${license}`),
      [],
    );
  });
});
