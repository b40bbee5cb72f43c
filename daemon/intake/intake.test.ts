import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { daemonSchema } from '../../contract/daemon/schema.ts';
import { eventExamples } from '../../contract/events/examples.ts';
import { limits } from '../../contract/policy/limits.ts';
import { readRegularSync } from '../../platform/regular-file.ts';
import { until } from '../../platform/testing/until.ts';
import type { FailureTracker } from '../failures/tracker.ts';
import { startIntake } from './index.ts';

const base = mkdtempSync(join(tmpdir(), 'guard-intake-'));
after(() => rmSync(base, { recursive: true, force: true }));

const line = (ip: string, more: object = {}): string =>
  `${JSON.stringify({ ...eventExamples.blocked, timestamp: new Date().toISOString(), client_ip: ip, ...more })}\n`;

interface Folder {
  readonly data: string;
  readonly file: string;
}

function folder(): Folder {
  const data = mkdtempSync(join(base, 'case-'));
  return { data, file: join(data, 'caddy.jsonl') };
}

const barrierMark = '203.0.113.99';

/** Follows the file. Resolves after the first poll. `failed`: the addresses whose failures were counted, in order. */
async function follow(t: TestContext, { data, file }: Folder) {
  const barrier = join(data, 'barrier.jsonl');
  appendFileSync(barrier, '');
  const intakeRows = [file, barrier].map((path) => ({ file: path, after: 3, window: '60s' }));
  const config = daemonSchema().parse({ version: 1, global: { data_dir: data }, intake: intakeRows });
  const failed: string[] = [];
  const said: string[] = [];
  const rows: unknown[] = [];
  let marks = 0;
  const fail: FailureTracker['fail'] = ({ ip, ...row }) => {
    if (ip === barrierMark) marks++;
    else failed.push(...Array<string>(row.count ?? 1).fill(ip));
    rows.push(row);
    return false;
  };
  const intake = await startIntake({
    config,
    now: Date.now,
    log: (message) => said.push(message),
    failures: { fail, isExempt: () => false },
  });
  t.after(() => intake.close());
  /**
   * Resolves when the file was polled. The barrier file is polled after it. One event is not enough, because a poll may
   * already have started.
   */
  const polled = async () => {
    for (const wanted of [marks + 1, marks + 2]) {
      appendFileSync(barrier, line(barrierMark));
      await until(() => marks >= wanted);
    }
  };
  await until(() => textOf(join(data, 'intake.json')).includes('barrier'));
  return { data, file, failed, said, rows, polled, problems: intake.problems, close: intake.close };
}

const textOf = (path: string): string => {
  try {
    return readRegularSync(path, 1024 * 1024).toString();
  } catch {
    return '';
  }
};

/** The files that this process has open. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd')
    .map((name) => join('/proc/self/fd', name))
    .filter((path) => existsSync(path)) // the listing has a descriptor too, which is closed by now
    .map((path) => readlinkSync(path));

/** Follows a file that does not exist yet. */
const followed = (t: TestContext) => follow(t, folder());

describe('the intake', () => {
  it('counts a failure for each blocked request, with the limits of its entry', async (t) => {
    const { file, failed, rows } = await followed(t);
    appendFileSync(file, line('192.0.2.1') + line('::ffff:192.0.2.2') + line('2001:DB8::1'));
    await until(() => failed.length === 3);
    assert.deepEqual(failed, ['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    const { at, line: read, ...row } = rows.at(-1) as { at: number; line: string };
    assert.match(read, /^\{"type":"guard_block".*"client_ip":"2001:DB8::1"/);
    assert.deepEqual(row, {
      trigger: 'blocked request',
      group: 'event',
      origin: 'intake',
      after: 3,
      windowMs: 60_000,
      count: 1,
    });
    assert.ok(Math.abs(Date.now() - at) < 60_000);
  });

  it('starts at the end of an existing file', async (t) => {
    const where = folder();
    writeFileSync(where.file, `${line('192.0.2.1')}half a line that an address may have written: `);
    const { failed, said } = await follow(t, where);
    appendFileSync(where.file, line('192.0.2.2') + line('192.0.2.3'));
    await until(() => failed.length > 0);
    assert.deepEqual(failed, ['192.0.2.3']);
    assert.deepEqual(said, []);
  });

  it('ignores lines that are not blocked requests', async (t) => {
    const { file, failed, polled } = await followed(t);
    const strange = [
      line('192.0.2.1', { type: 'guard_detect' }),
      line('192.0.2.1', { type: 'guard_block_summary' }),
      line('192.0.2.1', { timestamp: new Date(Date.now() - 61_000).toISOString() }),
      line('192.0.2.1/24'),
      line('host'),
      line('x'.repeat(5000)),
      '{"type":"guard_block","client_ip":["192.0.2.1"]}\n',
      '{"type":"guard_block"}\n',
      '"guard_block"\n[]\nnull\n\n{"guard_block\n',
      `${JSON.stringify({ type: 'access', user_agent: line('192.0.2.1') })}\n`,
      Buffer.from([0, 255, 254, 10]),
    ];
    for (const one of strange) appendFileSync(file, one);
    await polled();
    assert.deepEqual(failed, []);
  });
});

describe('the intake: sums', () => {
  it('counts the blocked requests of a sum at once, up to the number that bans', async (t) => {
    const { file, failed, rows, polled } = await followed(t);
    const clients = [
      { client: '192.0.2.1', count: 1 },
      { client: '2001:db8::1', count: 2871 },
      { client: '2001:DB8:0:1::/64', count: 2 },
    ];
    appendFileSync(file, line('', { type: 'guard_block_summary', count: 2900, clients, others: 26 }));
    await polled();
    assert.deepEqual(failed, ['192.0.2.1', ...Array(3).fill('2001:db8::1'), ...Array(2).fill('2001:db8:0:1::/64')]);
    assert.equal(rows.length, clients.length + 2); // `polled` reports two failures itself
    const { at, line: _, ...row } = rows[1] as { at: number; line: string };
    assert.deepEqual(row, {
      trigger: 'blocked request',
      group: 'event',
      origin: 'intake',
      after: 3,
      windowMs: 60_000,
      count: 3,
    });
    assert.ok(Math.abs(Date.now() - at) < 60_000);
  });

  it('ignores networks in a sum that contain all of IPv4', async (t) => {
    const { file, failed, polled } = await followed(t);
    const networks = ['64:ff9b::/64', '64:ff9b:1::/64', '64:ff9b:1:2::/64', '::/64', '::ffff:0:0/64', '::1/64'];
    const addresses = ['64:ff9b::c000:201', '::ffff:192.0.2.2'];
    const clients = [...networks, ...addresses].map((client) => ({ client, count: 3 }));
    appendFileSync(file, line('', { type: 'guard_block_summary', count: 24, clients, others: 0 }));
    await polled();
    assert.deepEqual([...new Set(failed)], ['64:ff9b::c000:201', '192.0.2.2']);
  });

  it('ignores the clients of a sum that are malformed, and those beyond the number of names', async (t) => {
    const { file, failed, polled } = await followed(t);
    const summary = (clients: unknown) => line('192.0.2.9', { type: 'guard_block_summary', count: 9, clients });
    const refused = [
      ...[-1, 0, 1.5, '3', null, 1e300].map((count) => ({ client: '192.0.2.1', count })),
      ...['192.0.2.0/24', '::/0', '2001:db8::/32', '192.0.2.0/64', 'x', '', 7, ['192.0.2.1'], 'x'.repeat(100)].map(
        (client) => ({
          client,
          count: 3,
        }),
      ),
      ...[null, '192.0.2.1', 3, []],
    ];
    for (const clients of [refused, { 0: { client: '192.0.2.1', count: 3 } }, 'x', undefined])
      appendFileSync(file, summary(clients));
    const { eventSumNames } = limits;
    appendFileSync(
      file,
      summary(Array.from({ length: 100 }, (_, index) => ({ client: `192.0.2.${index}`, count: 1 }))),
    );
    await polled();
    assert.equal(failed.length, eventSumNames);
  });
});

describe('the intake: lines', () => {
  it('waits for the end of an unfinished line', async (t) => {
    const { file, failed, polled } = await followed(t);
    const whole = line('192.0.2.1');
    appendFileSync(file, whole.slice(0, 40));
    await polled();
    assert.deepEqual(failed, []);
    appendFileSync(file, whole.slice(40));
    await until(() => failed.length === 1);
  });

  it('skips a line of megabytes, although its end looks like an event', async (t) => {
    const { file, failed, polled } = await followed(t);
    appendFileSync(file, 'y'.repeat(5_000_000));
    await polled();
    appendFileSync(file, line('192.0.2.1') + line('192.0.2.2'));
    await until(() => failed.length > 0);
    assert.deepEqual(failed, ['192.0.2.2']);
  });
});

describe('the intake: each file', () => {
  it('is read while another is longer than can be read', async (t) => {
    const { file, failed, polled } = await followed(t);
    appendFileSync(file, line('192.0.2.1'));
    await until(() => failed.length === 1);
    truncateSync(file, 2 ** 40); // the added terabyte takes no disk
    await polled();
  });

  it('is read after a rename while its path is not a file', async (t) => {
    const { file, failed, problems } = await followed(t);
    appendFileSync(file, line('192.0.2.1'));
    await until(() => failed.length === 1);
    renameSync(file, `${file}.1`);
    mkdirSync(file);
    await until(() => problems().length > 0);
    appendFileSync(`${file}.1`, line('192.0.2.2'));
    await until(() => failed.length === 2);
    assert.deepEqual(problems(), [`intake: ${file}: not a regular file`]);
  });
});

describe('the intake: rotation', () => {
  it('reads a renamed file to its end, and the new one from its beginning', async (t) => {
    const { file, failed } = await followed(t);
    appendFileSync(file, line('192.0.2.9'));
    await until(() => failed.pop() !== undefined);
    renameSync(file, `${file}.1`);
    appendFileSync(`${file}.1`, line('192.0.2.1'));
    writeFileSync(file, line('192.0.2.2'));
    await until(() => failed.length === 2);
    appendFileSync(`${file}.1`, line('192.0.2.3'));
    await until(() => failed.length === 3);
    assert.deepEqual(failed, ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  });

  it('restarts when the file was truncated, although it grew beyond its old size at once', async (t) => {
    const { file, failed } = await followed(t);
    appendFileSync(file, line('192.0.2.9'));
    await until(() => failed.pop() !== undefined);
    truncateSync(file);
    appendFileSync(file, line('192.0.2.1') + line('192.0.2.2') + line('192.0.2.3'));
    await until(() => failed.length === 3);
    assert.deepEqual(failed, ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  });

  it('follows a link to its new file, as of a log that has the date in its name', async (t) => {
    const where = folder();
    const [first, second] = ['1', '2'].map((name) => join(where.data, `caddy.${name}`)) as [string, string];
    writeFileSync(first, line('192.0.2.9'));
    symlinkSync(first, where.file);
    const { file, failed, polled, problems } = await follow(t, where);
    appendFileSync(first, line('192.0.2.1'));
    await until(() => failed.length === 1);
    writeFileSync(second, line('192.0.2.2'));
    symlinkSync(second, `${file}.new`);
    renameSync(`${file}.new`, file);
    appendFileSync(first, line('192.0.2.3'));
    await until(() => failed.length === 3);
    rmSync(second); // the link names nothing
    await polled();
    assert.deepEqual(failed.toSorted(), ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
    writeFileSync(second, line('192.0.2.4'));
    await until(() => failed.length === 4);
    assert.deepEqual(problems(), []);
  });
});

describe('the intake: a path without a file', () => {
  it('waits for a file that does not exist or was removed', async (t) => {
    const { file, failed, said, polled } = await followed(t);
    writeFileSync(file, line('192.0.2.9'));
    await until(() => failed.pop() !== undefined);
    rmSync(file);
    await polled();
    writeFileSync(file, line('192.0.2.1'));
    await until(() => failed.length === 1);
    assert.deepEqual(said, []);
  });

  it('reports once that a folder or a pipe is not a file, and as a problem until it is one', async (t) => {
    const where = folder();
    mkdirSync(where.file);
    const { failed, said, problems, polled } = await follow(t, where);
    const expected = [`intake: ${where.file}: not a regular file`];
    assert.deepEqual(problems(), expected);
    rmdirSync(where.file);
    assert.equal(spawnSync('mkfifo', [where.file]).status, 0);
    await polled();
    assert.deepEqual([said, problems()], [expected, expected]);
    rmSync(where.file);
    writeFileSync(where.file, '');
    await polled();
    appendFileSync(where.file, line('192.0.2.1'));
    await until(() => failed.length === 1);
    assert.deepEqual(problems(), []);
  });
});

describe('the intake: a stop', () => {
  it('reads lines that a gateway wrote to a renamed file before the stop', async (t) => {
    const { file, failed, polled, close } = await followed(t);
    appendFileSync(file, line('192.0.2.9'));
    await until(() => failed.pop() !== undefined);
    renameSync(file, `${file}.1`);
    writeFileSync(file, '');
    await polled();
    appendFileSync(`${file}.1`, line('192.0.2.1'));
    await close();
    assert.deepEqual(failed, ['192.0.2.1']);
  });
});

describe('the intake: restarts', () => {
  it('neither counts a line twice nor misses one', async (t) => {
    const first = await followed(t);
    appendFileSync(first.file, line('192.0.2.1') + line('192.0.2.2').slice(0, 30));
    await until(() => first.failed.length === 1);
    await first.close();
    appendFileSync(first.file, line('192.0.2.2').slice(30) + line('192.0.2.3'));
    const { failed } = await follow(t, first);
    await until(() => failed.length === 2);
    assert.deepEqual(failed, ['192.0.2.2', '192.0.2.3']);
  });

  it('does not treat the remainder of a line as a whole one', async (t) => {
    const where = folder();
    writeFileSync(where.file, 'half a line: ');
    await (await follow(t, where)).close();
    appendFileSync(where.file, line('192.0.2.1') + line('192.0.2.2'));
    const { failed } = await follow(t, where);
    await until(() => failed.length > 0);
    assert.deepEqual(failed, ['192.0.2.2']);
  });

  it('finds a file that was renamed in between', async (t) => {
    const first = await followed(t);
    appendFileSync(first.file, line('192.0.2.9'));
    await until(() => first.failed.length === 1);
    await first.close();
    appendFileSync(first.file, line('192.0.2.1'));
    renameSync(first.file, `${first.file}.1`);
    writeFileSync(first.file, line('192.0.2.2'));
    const { failed } = await follow(t, first);
    await until(() => failed.length === 2);
    assert.deepEqual(failed, ['192.0.2.1', '192.0.2.2']);
  });

  it('reads a file from its beginning that replaced the old one', async (t) => {
    const first = await followed(t);
    appendFileSync(first.file, line('192.0.2.9'));
    await until(() => first.failed.length === 1);
    await first.close();
    truncateSync(first.file);
    appendFileSync(first.file, line('192.0.2.1') + line('192.0.2.2'));
    const { failed } = await follow(t, first);
    await until(() => failed.length === 2);
  });

  it('starts with a damaged state file', async (t) => {
    const first = await followed(t);
    appendFileSync(first.file, line('192.0.2.1'));
    await until(() => first.failed.length === 1);
    await first.close();
    writeFileSync(join(first.data, 'intake.json'), '{"half');
    const { failed, polled } = await follow(t, first);
    await polled();
    assert.deepEqual(failed, []);
  });
});

describe('the intake: restarts without the old file', () => {
  it('replaces a pipe in place of the state file', async (t) => {
    const where = folder();
    assert.equal(spawnSync('mkfifo', [join(where.data, 'intake.json')]).status, 0);
    writeFileSync(where.file, '');
    const { failed } = await follow(t, where);
    appendFileSync(where.file, line('192.0.2.1'));
    await until(() => failed.length === 1);
    assert.ok(statSync(join(where.data, 'intake.json')).isFile());
  });

  it('reads a new file when a folder has the inode of the old one', async (t) => {
    const first = await followed(t);
    appendFileSync(first.file, line('192.0.2.9'));
    await until(() => first.failed.length === 1);
    await first.close();
    const [archive, state] = [join(first.data, 'archive'), join(first.data, 'intake.json')];
    mkdirSync(archive);
    const [was, is] = [first.file, archive].map((path) => `:${statSync(path).ino},`) as [string, string];
    writeFileSync(state, readFileSync(state, 'utf8').replace(was, is));
    rmSync(first.file);
    writeFileSync(first.file, line('192.0.2.1'));
    const { failed, said, polled } = await follow(t, first);
    await polled();
    assert.deepEqual([failed, said], [['192.0.2.1'], []]);
  });

  it('closes a file that it cannot read', {
    skip: process.platform !== 'linux' && 'only Linux has /proc',
  }, async (t) => {
    const where = folder();
    symlinkSync('/proc/self/mem', where.file); // reading the start of this file fails
    const position = { inode: 1, offset: 1, head: '' };
    writeFileSync(join(where.data, 'intake.json'), JSON.stringify({ [where.file]: position }));
    const { said, polled, close } = await follow(t, where);
    await polled();
    await close();
    assert.deepEqual(said, [`intake: ${where.file}: i/o error`]);
    assert.ok(!openFiles().includes(`/proc/${process.pid}/mem`));
  });
});
