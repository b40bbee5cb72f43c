import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { contentOf, contentProblem, keptContent, noCounts } from './content.ts';

const own = ['203.0.113.1'];

test('says why a list without entries is not in force', async () => {
  const problems = {
    '': 'it is empty',
    '# nothing today': 'it is empty',
    '<html>': 'it has no addresses: is it a page?',
    '192.168.0.0/16': '0 of 1 entries are left, dropped: 1 private, reserved, or of this host',
    '10.0.0.0/8\n203.0.113.0/24\n8.0.0.0/7\n2000::/3\n104.16.0.1\n<html>':
      '0 of 5 entries are left, dropped: 2 private, reserved, or of this host; 2 wider than /8 (IPv6: /32); 1 of CDNs or load balancers',
    '10.0.0.0/8\n198.51.100.1': undefined,
  };
  for (const [text, expected] of Object.entries(problems))
    assert.equal(contentProblem(await contentOf([text], { own, most: 9 }), new Set()), expected);
});

test('counts the entries beyond the bound, and those of one entry once', async () => {
  const text = '198.51.100.1\n198.51.100.1\n198.51.100.2\n198.51.100.3\n198.51.100.1\nx\n';
  const { entries, unread, beyond } = await contentOf([text], { own, most: 2 });
  assert.deepEqual([[...entries], unread, beyond], [['198.51.100.1', '198.51.100.2'], 2, 1]);
});

test('counts the entries beyond the bound of one list', async () => {
  const { listEntries } = daemonBounds;
  const addresses = Array.from(
    { length: listEntries + 3 },
    (_, index) => `198.${18 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`,
  );
  const { entries, unread, beyond } = await contentOf([addresses.join('\n')], { own, most: listEntries });
  assert.deepEqual([entries.size, unread, beyond], [listEntries, 3, 3]);
});

test('says that a list has no room', async () => {
  const content = await contentOf(['198.51.100.1'], { own, most: 0 });
  assert.match(contentProblem(content, new Set()) ?? '', /^it has no room: /);
});

test('entries of an earlier run are dropped when they are now of this host', async () => {
  const kept = await keptContent(['203.0.113.1', '198.51.100.1'], { ...noCounts, unread: 3 }, { own, most: 9 });
  assert.deepEqual([[...kept.entries], kept.unread, kept.ownNetworks], [['198.51.100.1'], 3, 1]);
});
