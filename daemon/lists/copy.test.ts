import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../testing/daemon.ts';
import { type Copy, readCopy, writeCopy } from './copy.ts';

/** What is read of a stored value. */
async function stored(value: unknown): Promise<Copy | undefined> {
  const folder = temporaryFolder();
  await writeCopy(folder, 'a', value as Copy);
  return readCopy(folder, 'a');
}

const counts = { unread: 1, ownNetworks: 2, tooWide: 3, edges: 4 };
const copy: Copy = {
  ...{ readAt: 1e12, column: null, ...counts },
  entries: ['192.0.2.1', '2001:db8::/64'],
};

test('reads what was written', async () => assert.deepEqual(await stored(copy), copy));

test('reads no copy that is damaged', async () => {
  for (const damaged of [{ readAt: 9e15 }, { readAt: 'x' }, { entries: [7] }, { entries: {} }, { unread: 'x' }])
    assert.equal(await stored({ ...copy, ...damaged }), undefined, JSON.stringify(damaged));
});
