/** Fuzzes the rows of a damaged ban store. Looking up, showing and writing an accepted row must not fail. */
import assert from 'node:assert/strict';
import { toBanRecord as shown } from '../../../daemon/api/records.ts';
import { BatchWriter, recordsOf, type StoredBan } from '../../../daemon/bans/batch.ts';
import { toBan } from '../../../daemon/bans/records.ts';
import { type Row, toRow } from '../../../daemon/bans/row.ts';
import { BanTable } from '../../../daemon/bans/table.ts';
import type { Random } from '../../differential/random.ts';
import { createTarget } from '../target.ts';

const oddValues: readonly unknown[] = [
  ...['192.0.2.1', '192.0.2.0/24', '::ffff:192.0.2.1', '2001:db8::/32', '10.0.0.0/8', '0.0.0.0/0', 'host', ''],
  ...['local', 'api', 'intake', 'port_scan', 'toString', 'a reason\n\u001b[2J', 'x'.repeat(10_000), '\ud800'],
  ...[0, 1, -1, 1e12, 1.5, 65_535, 65_536, 2 ** 53, -(2 ** 53), 8.64e15, 8.64e15 + 1, 1e300, Number.NaN],
  ...[Number.POSITIVE_INFINITY, null, undefined, 10n ** 18n, true, Buffer.from('192.0.2.1'), [], {}],
];
const goodRows: readonly Row[] = [
  [
    '192.0.2.1',
    'ssh: 5 failed logins in 60s',
    'ssh',
    'local',
    1e12,
    1e12 + 3_600_000,
    1,
    1e12 + 7 * 86_400_000,
    'a line',
  ],
  ['2001:db8::/48', 'by hand', null, 'api', 1e12, null, 0, 0, null],
];

function randomRow(random: Random): unknown[] {
  const row: unknown[] = [...random.pick(goodRows)];
  for (let left = random.integer(4); left > 0; left -= 1) row[random.integer(row.length)] = random.pick(oddValues);
  if (random.oneIn(20)) row.length = random.integer(row.length);
  return row;
}

function readRow(row: readonly unknown[]): StoredBan | undefined {
  const writer = new BatchWriter(1);
  writer.add(row);
  const [record] = recordsOf(writer.batch());
  return record;
}

function checkRow(row: unknown[]): void {
  const record = readRow(row);
  if (!record) return;
  const now = 1e12;
  const table = new BanTable();
  table.restore(record, now);
  table.sweep(now, 1);
  const [held] = table.page(undefined, 1, now);
  if (held) assert.doesNotThrow(() => JSON.stringify(shown(toBan(held), now)));
  assert.deepEqual(readRow(toRow(record, record.evidence)), record);
}

export const banRows = createTarget({ name: 'ban rows', make: randomRow, check: checkRow });
