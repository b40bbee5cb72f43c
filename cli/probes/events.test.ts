import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestEvent } from '../../contract/events/members.ts';
import { createEventLog } from './events.ts';

const event = (user_agent: string): RequestEvent => ({ type: 'guard_block', user_agent }) as RequestEvent;

test('keeps events by the number of their request and ignores other events', () => {
  const log = createEventLog();
  for (const agent of ['guard-probe/000007', 'curl/8', 'guard-probe/000007 x', '']) log.onLine(event(agent));
  log.onLine({ type: 'guard_block_summary' });
  assert.equal(log.of(7).length, 1);
  assert.deepEqual(log.of(8), []);
});

test('waits for an event that came before or comes later', async () => {
  const log = createEventLog();
  const waited = log.arrived(1);
  log.onLine(event('guard-probe/000001'));
  await waited;
  await log.arrived(1);
  assert.equal(log.of(1).length, 1);
});

test('waits for an event that a busy machine delivers seconds later', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const log = createEventLog();
  let isOver = false;
  const waited = log.arrived(1).then(() => {
    isOver = true;
  });
  t.mock.timers.tick(10_000);
  await new Promise((resolve) => void setImmediate(resolve));
  assert.equal(isOver, false);
  log.onLine(event('guard-probe/000001'));
  await waited;
});

test('stops waiting when no event comes', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const log = createEventLog();
  const waited = log.arrived(1);
  t.mock.timers.tick(15_000);
  await waited;
  assert.deepEqual(log.of(1), []);
});
