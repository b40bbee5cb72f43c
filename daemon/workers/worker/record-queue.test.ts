import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { connectionRecorder, type Recorder } from '../../admission/recorder.ts';
import type { AuditEvent } from '../../audit/event.ts';
import type { FromWorker } from '../link/messages.ts';
import { type RecordsMessage, unpack } from '../link/records.ts';
import { RecordQueue } from './record-queue.ts';

/** A queue of records, and a function that sends them and returns what the coordinator reads. */
function setUp() {
  const time = { now: Date.UTC(2026, 0, 1) };
  const waiting: (FromWorker | (() => FromWorker))[] = [];
  const postLater = (item: FromWorker | (() => FromWorker)) => void waiting.push(item);
  const queue = new RecordQueue({ postLater, size: () => waiting.length }, () => time.now);
  const send = (): AuditEvent[] => {
    const events: AuditEvent[] = [];
    for (const item of waiting.splice(0)) {
      const message = typeof item === 'function' ? item() : item;
      const received = JSON.parse(JSON.stringify(message)) as RecordsMessage;
      unpack(
        received,
        (ip) => (ip === '192.0.2.1' ? 'DE' : ''),
        (event) => events.push(event),
      );
    }
    return events;
  };
  return { queue, time, waiting, send };
}

const service = { name: 'one', config: { protocol: 'ssh' } };
const moved = { bytes_in: 1, bytes_out: 2, duration_ms: 3 };
const records: readonly Parameters<Recorder>[] = [
  [service, { ip: '192.0.2.1', port: 4 }, 'allowed', 'closed', moved],
  [service, { ip: '192.0.2.2', port: 5 }, 'blocked', 'ban'],
  [service, { ip: '192.0.2.3', port: 6 }, 'auth_failure', 'x', { ...moved, confidence: 'probable', facts: { a: 'b' } }],
  [service, { ip: '192.0.2.3', port: 6 }, 'blocked', 'rate_limit', { ...moved, count: 7 }],
];

test('the coordinator reads the records that a single process would write', () => {
  const { queue, time, waiting, send } = setUp();
  const expected: AuditEvent[] = [];
  const write = (event: AuditEvent) => expected.push(event);
  const record = connectionRecorder({
    write,
    countryOf: (ip) => (ip === '192.0.2.1' ? 'DE' : ''),
    now: () => time.now,
  });
  for (const each of records) {
    record(...each);
    queue.record(...each);
    time.now += 1500;
  }
  assert.equal(waiting.length, 1, 'they share a message');
  assert.equal(JSON.stringify(send()), JSON.stringify(expected));
});

test('records that follow a sent message begin another one', () => {
  const { queue, send } = setUp();
  const [first, second] = records as [Parameters<Recorder>, Parameters<Recorder>];
  queue.record(...first);
  assert.equal(send().length, 1);
  queue.record(...second);
  assert.deepEqual(
    send().map(({ reason }) => reason),
    ['ban'],
  );
});

test('records are divided among messages, and dropped beyond a bound until messages are sent', () => {
  const { queue, waiting, send } = setUp();
  const [first] = records as [Parameters<Recorder>];
  for (let count = 0; count < daemonBounds.workerMessages + 10; count += 1) queue.record(...first);
  assert.ok(waiting.length > 10);
  const dropped = queue.droppedCount;
  assert.ok(dropped >= 10);
  assert.equal(send().length, daemonBounds.workerMessages + 10 - dropped);
  queue.record(...first);
  assert.deepEqual([send().length, queue.droppedCount], [1, dropped]);
});
