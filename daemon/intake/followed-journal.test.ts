/** A journal that is absent or corrupt: programs in the place of journalctl on the path. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { temporaryFolder } from '../testing/daemon.ts';
import { FollowedJournal } from './journal.ts';
import { openPositions } from './positions.ts';

const cursor = 's=0639c7b21a3b4a3d8d9a1f0b5a0e2f11;i=1';
const entry = (message: string): string =>
  JSON.stringify({ __CURSOR: cursor, __REALTIME_TIMESTAMP: '1', _SYSTEMD_UNIT: 'a.service', MESSAGE: message });

/** Follows a unit with a shell script in the place of journalctl, whose arguments it writes to a file. */
function follow(t: TestContext, script: string, stored?: string) {
  const folder = temporaryFolder();
  const calls = join(folder, 'calls');
  writeFileSync(calls, '');
  const replace = (text: string): void => {
    writeFileSync(join(folder, 'journalctl'), `#!/bin/sh\nprintf '%s\\n' "$*" >> ${calls}\n${text}\n`);
    chmodSync(join(folder, 'journalctl'), 0o755);
  };
  if (script !== '') replace(script);
  const { PATH } = process.env;
  process.env.PATH = script === '' ? folder : `${folder}${delimiter}${PATH}`;
  t.after(() => {
    process.env.PATH = PATH;
  });
  const positions = openPositions(folder);
  positions.cursor = stored;
  const [messages, problems]: [string[], string[]] = [[], []];
  let now = 0;
  const journal = new FollowedJournal({
    sources: [{ unit: 'a.service', onMessage: (message) => messages.push(message) }],
    positions,
    complain: (problem) => problems.push(problem),
    now: () => now,
  });
  t.after(() => journal.close());
  const poll = (at: number): void => {
    now = at;
    journal.poll();
  };
  return {
    poll,
    replace,
    messages,
    problems,
    positions,
    starts: () => readFileSync(calls, 'utf8').split('\n').slice(0, -1),
  };
}

test('a journalctl that is absent is a problem, and is started when it is there', async (t) => {
  const { poll, problems, replace, messages } = follow(t, '');
  poll(0);
  await until(() => problems.length > 0);
  assert.match(problems[0] ?? '', /^intake: journal: .*ENOENT/);
  replace(`echo '${entry('x')}'; exec sleep 600`);
  process.env.PATH = `${process.env.PATH}${delimiter}/usr/bin${delimiter}/bin`;
  poll(100_000);
  await until(() => messages.length === 1);
});

test('a journalctl that ends is started again after a while, also when the clock was set back', async (t) => {
  const { poll, problems, starts } = follow(t, 'echo "Journal file corrupted, ignoring file" >&2; exit 1');
  poll(1_000_000);
  await until(() => problems.length === 1);
  assert.equal(problems[0], 'intake: journal: Journal file corrupted, ignoring file');
  poll(1_000_001);
  assert.equal(starts().length, 1);
  poll(0);
  await until(() => problems.length === 2);
  poll(60_000);
  await until(() => problems.length === 3);
  assert.equal(starts().length, 3);
});

test('a journalctl that the system refuses to start is a problem, and is started later', async (t) => {
  const { poll, problems, positions, messages } = follow(t, `echo '${entry('x')}'; exec sleep 600`, 'a\0b');
  poll(0);
  assert.match(problems.join(), /^intake: journal: .*null bytes/);
  positions.cursor = undefined;
  poll(100_000);
  await until(() => messages.length === 1);
});

test('output that is not JSON, of other units or without an end is skipped', async (t) => {
  const other = entry('other').replace('a.service', 'b.service');
  const garbage = `head -c 2000000 /dev/zero | tr '\\0' x; echo; printf '\\377\\000{\\n[]\\nnull\\n'`;
  const { poll, messages, problems } = follow(t, `${garbage}; echo '${other}'; echo '${entry('own')}'; exec sleep 600`);
  poll(0);
  await until(() => messages.length > 0);
  assert.deepEqual([messages, problems], [['own'], []]);
});

test('a cursor that journalctl refuses is dropped, and the next start begins at the end', async (t) => {
  const { poll, problems, positions, starts } = follow(
    t,
    'echo "Failed to seek to cursor: Invalid argument" >&2; exit 1',
    'x',
  );
  poll(0);
  await until(() => problems.length === 1);
  assert.equal(positions.cursor, undefined);
  poll(100_000);
  await until(() => problems.length === 2);
  const [first = '', second = ''] = starts();
  assert.match(first, /--after-cursor=x /);
  assert.match(second, /--lines=0 /);
});

test('messages that journald dropped are a problem, and the position is kept for the next start', async (t) => {
  const dropped = { MESSAGE_ID: 'a596d6fe7bfa4994828e72309e95d61e', N_DROPPED: '7', MESSAGE: 'Suppressed 7 messages' };
  const lines = ['a.service', 'systemd-journald.service'].map((unit) =>
    JSON.stringify({ ...dropped, __CURSOR: cursor, _SYSTEMD_UNIT: unit }),
  );
  const { poll, problems, positions, starts } = follow(t, `echo '${lines.join("'; echo '")}'; exit 0`);
  poll(0);
  await until(() => problems.length === 2);
  assert.deepEqual(problems, [
    'intake: journal: journald dropped 7 messages',
    'intake: journal: journalctl ended with status 0',
  ]);
  assert.equal(positions.cursor, cursor);
  poll(100_000);
  await until(() => starts().length === 2);
  assert.ok(starts()[1]?.includes(`--after-cursor=${cursor} `));
});
