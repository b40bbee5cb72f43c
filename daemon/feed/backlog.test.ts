import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { constants, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import type { Bans } from '../bans/ban.ts';
import { readAvailable } from '../testing/pipe.ts';
import { BacklogFile, type Change } from './backlog-file.ts';
import { untilStoredForLapi } from './push.ts';
import { jsonReply } from './testing/fake-lapi.ts';
import {
  alertedAddresses,
  alerts,
  ban,
  bannedChange,
  createdReply,
  deletedAddresses,
  liftedChange,
  run,
} from './testing/running-push.ts';

const isAway = jsonReply({}, 500);
const kept = (dataDir: string) => join(dataDir, 'push.jsonl');

describe('push of unsent changes of the previous run', () => {
  it('sends unsent changes after the start, and sent ones not again', async (t) => {
    const first = await run(t, createdReply);
    first.notify(bannedChange('192.0.2.1'));
    await until(() => first.push.pending() === 0);
    first.lapi.answer(isAway);
    for (const ip of ['192.0.2.2', '198.51.100.0/24', '192.0.2.3']) first.notify(bannedChange(ip));
    for (const ip of ['192.0.2.3', '192.0.2.4']) first.notify(liftedChange(ip));
    await first.push.stored();
    // `first` is never closed, as if its process was killed.
    assert.equal(statSync(kept(first.dataDir)).mode & 0o777, 0o600);
    const held = ['192.0.2.1', '192.0.2.2', '198.51.100.0/24'].map((ip) => ban(ip));
    const { lapi, push, said } = await run(t, createdReply, { dataDir: first.dataDir, held });
    assert.equal(push.pending(), 4);
    await until(() => push.pending() === 0);
    await push.stored();
    assert.deepEqual(alertedAddresses(lapi), ['192.0.2.2', '198.51.100.0/24']);
    assert.deepEqual(deletedAddresses(lapi), ['192.0.2.3', '192.0.2.4']);
    assert.deepEqual(said, []);
    const third = await run(t, createdReply, { dataDir: first.dataDir, held });
    assert.equal(third.push.pending(), 0);
  });

  it('drops changes that are obsolete by now', async (t) => {
    const first = await run(t, isAway);
    for (const ip of ['192.0.2.1', '192.0.2.2']) first.notify(bannedChange(ip));
    for (const ip of ['192.0.2.3', '192.0.2.4']) first.notify(liftedChange(ip));
    await first.push.stored();
    const held = ['192.0.2.1', '192.0.2.3'].map((ip) => ban(ip));
    const { lapi, push } = await run(t, createdReply, { dataDir: first.dataDir, held });
    await until(() => push.pending() === 0);
    assert.deepEqual(alertedAddresses(lapi), ['192.0.2.1']);
    assert.ok(lapi.requests.includes('DELETE /v1/decisions?value=192.0.2.4&type=ban&origin=guard'));
    assert.deepEqual(deletedAddresses(lapi), ['192.0.2.4']);
  });

  it('reads the readable lines and reports the others', async (t) => {
    const first = await run(t, isAway);
    for (const ip of ['192.0.2.1', '192.0.2.2']) first.notify(bannedChange(ip));
    await first.push.stored();
    const text = readFileSync(kept(first.dataDir), 'utf8');
    const damage = ['hello', '{"kind":"banned","ban":{"ip":"x"}}', '{"kind":"other"}', '[]', 'null', '{"settled":[1]}'];
    const late = { kind: 'banned', ban: { ...ban('192.0.2.9'), expiresAt: 9e15 } }; // no date is so late
    damage.push(JSON.stringify(late));
    writeFileSync(kept(first.dataDir), `${damage.join('\n')}\n${text}{"kind":"banned","ban":{"ip":"192.0`);
    const held = ['192.0.2.1', '192.0.2.2'].map((ip) => ban(ip));
    const { push, said } = await run(t, isAway, { dataDir: first.dataDir, held });
    assert.equal(push.pending(), 2);
    assert.match(said[0] ?? '', /^threat feed: cannot read 8 lines of the unsent bans/);
  });
});

describe('push of waiting changes', () => {
  it('replaces a pipe that it would have to read', async (t) => {
    const dataDir = scratchFolder('guard-push-');
    assert.equal(spawnSync('mkfifo', [kept(dataDir)]).status, 0);
    const { push, said } = await run(t, createdReply, { dataDir });
    assert.deepEqual(said, ['threat feed: cannot read the unsent bans of the previous run (not a regular file)']);
    await push.stored();
    assert.ok(statSync(kept(dataDir)).isFile());
  });

  it('deletes the decisions of unsent unbans after which the address was banned again', async (t) => {
    const first = await run(t, isAway);
    for (const ip of ['192.0.2.1', '192.0.2.2'])
      for (const change of [liftedChange(ip), bannedChange(ip)]) first.notify(change);
    await first.push.stored();
    const { lapi, push } = await run(t, createdReply, { dataDir: first.dataDir, held: [ban('192.0.2.1')] });
    await until(() => push.pending() === 0);
    assert.deepEqual(deletedAddresses(lapi), ['192.0.2.1', '192.0.2.2']);
    assert.equal(alerts(lapi).length, 1);
  });

  it('keeps them in a file of bounded size', async (t) => {
    const { push, notify, dataDir } = await run(t, createdReply);
    await push.stored(); // creates an empty file
    const many = 200;
    const reason = 'x'.repeat(daemonBounds.banReasonBytes);
    let most = 0;
    while (most <= daemonBounds.pushFileBytes) {
      for (let index = 0; index < many; index++) notify(bannedChange(`192.0.2.${index}`, { reason }));
      await until(() => push.pending() === 0);
      await push.stored();
      const size = statSync(kept(dataDir)).size;
      if (size < most) return;
      most = size;
    }
    assert.fail(`the file has ${most} bytes`);
  });
});

describe('push with a failing disk', () => {
  it('keeps changes in memory', async (t) => {
    const { lapi, push, said, notify } = await run(t, isAway, { dataDir: '/proc/nowhere' });
    notify(bannedChange('192.0.2.1'));
    lapi.answer(createdReply);
    await until(() => push.pending() === 0);
    await push.stored();
    const expected = ['threat feed: cannot store unsent bans on disk: no such file or directory'];
    assert.deepEqual([said.filter((one) => one.includes('disk')), push.problems()], [expected, expected]);
  });

  it('writes what the disk refused when the push ends', async (t) => {
    const dataDir = join(scratchFolder('guard-push-'), 'later');
    const { push, notify } = await run(t, isAway, { dataDir });
    notify(bannedChange('192.0.2.1'));
    await push.stored();
    mkdirSync(dataDir);
    await push.close();
    assert.match(readFileSync(kept(dataDir), 'utf8'), /192\.0\.2\.1/);
  });

  for (const store of ['unread', 'stalled'] as const)
    it(`keeps those of the previous run while the bans themselves cannot be read (${store})`, async (t) => {
      const first = await run(t, isAway);
      for (const change of [bannedChange('192.0.2.1'), liftedChange('192.0.2.2')]) first.notify(change);
      await first.push.stored();
      const { lapi, push } = await run(t, createdReply, { dataDir: first.dataDir, store });
      await until(() => push.pending() === 0);
      assert.equal(alerts(lapi).length, 1);
      assert.deepEqual(deletedAddresses(lapi), ['192.0.2.2']);
    });
});

/** The file of a backlog. The test sets the pending changes. */
function backlogFile(dataDir: string, { everything = (): Change[] => [] } = {}) {
  const said: string[] = [];
  return { said, file: new BacklogFile({ dataDir, everything, log: (problem) => said.push(problem) }) };
}

/** Replaces the next file at a path by a pipe, as if the disk were slow. Returns its reader. */
function stallWrites(t: TestContext, pipe: string): () => number {
  const { open } = promises;
  let reader = -1;
  const restore = () => {
    opening.mock.restore();
    syncBuiltinESMExports();
  };
  const opening = t.mock.method(promises, 'open', async (path: string, ...options: [string, number]) => {
    if (path !== pipe) return open(path, ...options);
    restore();
    assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
    reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    return open(pipe, 'w');
  });
  syncBuiltinESMExports();
  t.after(restore);
  return () => reader;
}

const change = (ip: string): Change => ({ kind: 'banned', ban: ban(ip, { reason: 'x'.repeat(256) }) });

describe('the file of unsent changes', () => {
  it('is written again when the disk accepts it, without a further change', async () => {
    const dataDir = join(scratchFolder('guard-push-'), 'later');
    const { file } = backlogFile(dataDir, { everything: () => [change('192.0.2.1')] });
    file.write({ settled: [] });
    assert.equal(await file.untilStored(), false);
    mkdirSync(dataDir);
    await until(() => file.problems().length === 0);
    await file.close();
    assert.match(readFileSync(kept(dataDir), 'utf8'), /192\.0\.2\.1/);
  });
  it('is written in place of a pipe without a reader', async () => {
    const dataDir = scratchFolder('guard-push-');
    assert.equal(spawnSync('mkfifo', [`${kept(dataDir)}.new`]).status, 0);
    const { file, said } = backlogFile(dataDir);
    file.write({ settled: [] });
    assert.equal(await file.untilStored(), true);
    await file.close();
    assert.deepEqual(said, []);
    assert.ok(statSync(kept(dataDir)).isFile());
  });
  it('is rewritten when more waits for the disk than the file may have', async (t) => {
    const dataDir = scratchFolder('guard-push-');
    const reader = stallWrites(t, `${kept(dataDir)}.new`);
    const pending: Change[] = [];
    const { file, said } = backlogFile(dataDir, { everything: () => pending });
    file.write({ settled: [] });
    await file.untilStored();
    assert.ok(statSync(kept(dataDir)).isFIFO()); // further writes block until the test reads
    for (let bytes = 0; bytes < 2 * daemonBounds.pushFileBytes; bytes += 256) {
      const next = change(`192.0.2.${pending.length % 256}`);
      pending.push(next);
      file.write(next);
      if (pending.length === 1000) await turn(); // the first thousand changes are written
    }
    await until(() => readAvailable(reader()) && statSync(kept(dataDir)).isFile());
    await file.untilStored();
    assert.equal(readFileSync(kept(dataDir), 'utf8').split('\n').length - 1, pending.length);
    await file.close();
    assert.deepEqual(said, []);
  });
});

it('a ban and an unban are acknowledged when they are in the file', async (t) => {
  const { push, notify, dataDir } = await run(t, isAway);
  const [ip, reason] = ['192.0.2.1', 'test'];
  const bans = {
    add: async () => notify(bannedChange(ip)),
    remove: async () => notify(liftedChange(ip)),
  } as unknown as Bans;
  const kindsIn = (text: string) => text.match(/(?<="kind":")\w+/g);
  const acknowledged = untilStoredForLapi(bans, () => push);
  await acknowledged.add({ ip, reason, origin: 'api' });
  assert.deepEqual(kindsIn(readFileSync(kept(dataDir), 'utf8')), ['banned']);
  await acknowledged.remove(ip);
  assert.deepEqual(kindsIn(readFileSync(kept(dataDir), 'utf8')), ['banned', 'lifted']);
});
