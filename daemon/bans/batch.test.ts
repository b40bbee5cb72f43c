import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BatchWriter, recordsOf } from './batch.ts';
import { type Row, toRow } from './row.ts';

const rows: readonly Row[] = [
  ['192.0.2.1', 'by hand', null, 'api', 1, null, 0, 0, null],
  ['2001:db8::/48', 'ssh: 5 failed logins in 60s', 'ssh', 'local', 2, 3, 1, null, 'one\ntwo'],
  ['2001:db8::ffff', 'by hand', 'ssh', 'port_scan', 4, 5, 2, 6, null],
];
const strange: readonly Row[] = [
  ['192.0.2.256', 'not an address', null, 'api', 1, null, 0, 0, null],
  ['192.0.2.2', 'an unknown origin', null, 'elsewhere', 1, null, 0, 0, null],
  ['192.0.2.2', 'evidence of a terminal', null, 'intake', 1, null, 0, 0, '\u001b[2J'],
];

it('transfers rows unchanged and counts rows that the daemon did not write', () => {
  const writer = new BatchWriter(rows.length + strange.length);
  for (const row of [...strange, ...rows]) {
    assert.ok(!writer.isFull());
    writer.add(row);
  }
  assert.ok(writer.isFull());
  const batch = structuredClone(writer.batch());
  assert.equal(batch.unreadable, strange.length);
  const read: Row[] = [];
  for (const record of recordsOf(batch)) read.push(toRow(record, record.evidence));
  assert.deepEqual(read, rows);
});
