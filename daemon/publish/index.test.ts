/** The published ban list of a whole daemon, read as the guards read it. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { limits } from '../../contract/policy/limits.ts';
import { type Address, parseAddress } from '../../contract/values/address.ts';
import { openBanTable } from '../../engine/ban-list.ts';
import { readBanList } from '../../engine/ban-list-file.ts';
import { until } from '../../platform/testing/until.ts';
import type { Ban, BanChange } from '../bans/ban.ts';
import { configOf } from '../bans/testing/scratch.ts';
import { Holdings } from '../feed/holdings.ts';
import { decision, fakeLapi, streamReply } from '../feed/testing/fake-lapi.ts';
import { startChangeable } from '../testing/changeable.ts';
import { temporaryFolder } from '../testing/daemon.ts';
import { Publisher } from './index.ts';

function isListed(file: string, ip: string): boolean {
  const table = openBanTable(readFileSync(file));
  assert('has' in table, JSON.stringify(table));
  return table.has(parseAddress(ip) as Address);
}

const isReady = (file: string) => statSync(file, { throwIfNoEntry: false }) !== undefined;

test('bans, lifted bans and decisions of the feed are published, exempt addresses are not', async (t) => {
  const lapi = await fakeLapi(t, streamReply([decision('198.51.100.0/24', { scope: 'Range' })]));
  const threatfeed = { enabled: true, lapi_url: lapi.url, api_key: 'k', update_frequency: '1s' };
  const folder = join(temporaryFolder(), 'published');
  mkdirSync(folder);
  const file = join(folder, 'bans');
  const global = { never_ban: ['198.51.100.7'] };
  const { daemon, write } = await startChangeable(t, { services: {}, threatfeed, global, bans: { publish: file } });
  const ban = (ip: string) => daemon.bans.add({ ip, reason: '', origin: 'api', durationMs: null });
  await Promise.all([ban('192.0.2.1'), ban('2001:db8::/64')]);
  await until(() => isReady(file) && isListed(file, '192.0.2.1') && isListed(file, '198.51.100.1'));
  assert.deepEqual(
    ['2001:db8::9', '192.0.2.2', '198.51.100.7', '127.0.0.1'].map((ip) => isListed(file, ip)),
    [true, false, false, false],
  );
  assert.equal(statSync(file).mode & 0o777, 0o644);
  await until(() => daemon.tables().published?.entries === 4); // known after the file is in place
  await daemon.bans.remove('192.0.2.1');
  await until(() => !isListed(file, '192.0.2.1'));
  write({ services: {}, global: { never_ban: ['2001:db8::/64'] }, bans: { publish: file } });
  await daemon.reload('a test');
  await until(() => !isListed(file, '2001:db8::9') && !isListed(file, '198.51.100.1'));
  rmSync(folder, { recursive: true });
  await ban('192.0.2.3');
  await until(() => daemon.problems().some((problem) => problem.startsWith('cannot publish the bans: ENOENT')));
  mkdirSync(folder);
  await until(() => isReady(file) && isListed(file, '192.0.2.3'));
  await until(() => daemon.problems().length === 0);
});

test('bans that mode detect holds back are not published', async (t) => {
  const file = join(temporaryFolder(), 'bans');
  const { daemon } = await startChangeable(t, { services: {}, bans: { publish: file, mode: 'detect' } });
  const detected = { ip: '203.0.113.1', reason: '', origin: 'intake', isAutomatic: true } as const;
  assert.equal((await daemon.bans.add(detected)).ok, true);
  await daemon.bans.add({ ip: '203.0.113.2', reason: '', origin: 'api' });
  await until(() => isReady(file) && isListed(file, '203.0.113.2'));
  assert.equal(isListed(file, '203.0.113.1'), false);
});

/** Bans without a store. */
function manyBans(count: number) {
  const banOf = (index: number): Ban => ({
    ...{ ip: `10.${index >> 15}.${(index >> 7) & 255}.${(index & 127) * 2}`, reason: '', service: null },
    ...{ origin: 'api', bannedAt: 0, expiresAt: null },
  });
  const listeners: ((change: BanChange) => void)[] = [];
  return {
    bans: {
      *all() {
        for (let index = 0; index < count; index++) yield banOf(index);
      },
      watch: (listener: (change: BanChange) => void) => {
        listeners.push(listener);
        return () => {};
      },
    },
    change: (change: BanChange) => {
      for (const listener of listeners) listener(change);
    },
    banOf,
  };
}

test('a list without room has the most ranges, and counts the others', async (t) => {
  const file = join(temporaryFolder(), 'bans');
  const config = configOf(`{version: 1, bans: {publish: ${file}}, global: {never_ban: [10.0.0.0/31]}}`);
  const { bans, change, banOf } = manyBans(limits.banListRanges + 5);
  const publisher = new Publisher(config, {
    bans,
    decisions: new Holdings(Date.now),
    now: Date.now,
    fault: assert.fail,
  });
  t.after(publisher.close);
  await until(() => publisher.state().entries > 0);
  assert.deepEqual(publisher.state(), { entries: limits.banListRanges - 1, leftOut: 5 });
  assert.match(publisher.problems().join(), /^5 bans and decisions do not fit/);
  const first = readFileSync(file);
  assert('ranges' in readBanList(first));
  change({ kind: 'unbanned', ban: banOf(1), why: 'expired' });
  await publisher.close();
  assert(readFileSync(file).equals(first), 'the end of a ban needs no new file');
});
