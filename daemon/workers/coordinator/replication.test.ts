import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { BanChange } from '../../bans/ban.ts';
import { Holdings } from '../../feed/holdings.ts';
import type { FailingMessage, ReplicaMessage } from '../link/messages.ts';
import { Replication } from './replication.ts';

const expired = 2500;
const addressOf = (index: number) => `10.0.${index >> 8}.${index & 255}`;

function change(ip: string, kind: 'banned' | 'unbanned'): BanChange {
  const ban = { ip, reason: 'test', service: null, origin: 'api', bannedAt: 0, expiresAt: 1 } as const;
  return kind === 'banned' ? { kind, ban } : { kind, ban, why: 'expired' };
}

/** A worker that reads messages only when the test calls `drain`. */
function replicationTo() {
  const posted: (ReplicaMessage | FailingMessage)[] = [];
  let resume = () => {};
  const untilDrained = () => new Promise<void>((resolve) => (resume = resolve));
  const link = {
    post: (message: (typeof posted)[number]) => void posted.push(message),
    untilDrained,
    hasEnded: () => false,
  };
  const bans = { all: () => [], watch: () => () => {}, checkClock: () => {} };
  const replication = new Replication({ bans, decisions: new Holdings(() => 0), failing: () => [] }, link);
  const drain = async () => {
    resume();
    await turn();
  };
  return { replication, posted, drain };
}

test('bans that expire together wait for a worker that does not read, and delay no new ban', async () => {
  const { replication, posted, drain } = replicationTo();
  for (let index = 0; index < expired; index++) replication.onBanChange(change(addressOf(index), 'unbanned'));
  await turn();
  const atOnce = posted.length;
  assert.ok(atOnce > 0 && atOnce < expired, `${atOnce}`);
  const again = addressOf(expired - 1);
  replication.onBanChange(change(again, 'banned'));
  assert.deepEqual(posted.at(-1), { kind: 'banned', ip: again, expiresAt: 1 });
  for (let pages = 0; pages < expired / atOnce; pages++) await drain();
  const of = (kind: string) => posted.filter((message) => message.kind === kind).length;
  assert.deepEqual([of('unbanned'), of('banned')], [expired - 1, 1]);
  assert.ok(!posted.some((message) => message.kind === 'unbanned' && message.ip === again));
});
