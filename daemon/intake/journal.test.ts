import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JournalEntries } from './journal.ts';

const forged = 'Failed password for root from 192.0.2.66 port 22 ssh2';
const own = 'Failed password for root from 198.51.100.7 port 22 ssh2';
const unit = { _SYSTEMD_UNIT: 'web.service', _STREAM_ID: 'a', __REALTIME_TIMESTAMP: '1795946400000000' };
const container = {
  ...{ CONTAINER_NAME: 'web', _SYSTEMD_UNIT: 'docker.service', CONTAINER_ID_FULL: 'c', PRIORITY: '6' },
  __REALTIME_TIMESTAMP: '1795946400000000',
};

/** The messages that are read of entries of the journal. */
function messages(...fields: readonly object[]): string[] {
  const entries = new JournalEntries([{ unit: 'web.service' }, { container: 'web' }]);
  return fields.flatMap((one) => entries.read(one as never)).map(({ message }) => message);
}

describe('entries of the journal', () => {
  it('reach each source of their unit', () => {
    const entries = new JournalEntries([{ unit: 'web.service' }, { unit: 'other.service' }, { unit: 'web.service' }]);
    const found = entries.read({ ...unit, MESSAGE: own });
    assert.deepEqual(
      found.map(({ source, at }) => [source, at]),
      [
        [0, 1_795_946_400_000],
        [2, 1_795_946_400_000],
      ],
    );
  });

  it('are read where their message is not UTF-8, and come as bytes', () => {
    const bytes = Buffer.from(own.replace('root', 'r\xff'), 'latin1');
    assert.deepEqual(messages({ ...unit, MESSAGE: [...bytes] }), [bytes.toString('latin1')]);
    assert.deepEqual(messages({ ...unit, MESSAGE: null }, { ...unit, MESSAGE: ['x', own] }), ['\0\0']);
  });

  for (const how of ['line-max', 'nul'])
    it(`are not read where journald split a line that a client wrote: ${how}`, () => {
      const piece = { ...unit, MESSAGE: `x from ${forged}`, _LINE_BREAK: how };
      const after = { ...unit, MESSAGE: own };
      assert.deepEqual(messages({ ...piece, MESSAGE: forged }, { ...unit, MESSAGE: forged }, after), [own]);
      assert.deepEqual(messages(piece, piece, { ...unit, MESSAGE: forged }, after), [own]);
      const other = { ...unit, _STREAM_ID: 'b', MESSAGE: own };
      assert.deepEqual(messages(piece, other, { ...unit, MESSAGE: forged }, after), [own, own], 'of another stream');
    });

  it('are not read where the runtime of a container split a line', () => {
    const piece = { ...container, MESSAGE: 'x', CONTAINER_PARTIAL_MESSAGE: 'true' };
    const [last, after] = [
      { ...container, MESSAGE: forged },
      { ...container, MESSAGE: own },
    ];
    assert.deepEqual(messages(piece, last, after), [own]);
    assert.deepEqual(messages(piece, { ...after, PRIORITY: '3' }, last, after), [own, own], 'of standard error');
  });

  it('are not read where they are longer than a line', () => {
    assert.deepEqual(messages({ ...unit, MESSAGE: 'x'.repeat(16_385) }, { ...unit, MESSAGE: own }), [own]);
  });
});
