/** The stream of events. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { SecurityEvent } from '../../contract/api/records.ts';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { dial, event, type Line, type Running, start, startedAt } from './testing.ts';

const epoch = startedAt.toString(36);

/** A reader whose stream has begun. */
async function read(t: TestContext, { port }: Running, query = '', lastEventId = ''): Promise<Line> {
  const line = dial(t, { port, host: '127.0.0.1' });
  const id = lastEventId && `Last-Event-ID: ${lastEventId}\r\n`;
  line.socket.write(`GET /events${query} HTTP/1.1\r\nHost: localhost\r\n${id}\r\n`);
  await line.until((text) => text.includes('retry: 2000'));
  return line;
}

const ids = (text: string): string[] => text.match(/(?<=^id: ).+$/gm) ?? [];
const numbers = (...list: number[]): string[] => list.map((number) => `${epoch}-${number}`);

async function idsUntil(line: Line, last: number): Promise<string[]> {
  return ids(await line.until((text) => ids(text).includes(`${epoch}-${last}`)));
}

test('an event is its audit record, with an id of this run', async (t) => {
  const running = await start(t);
  const line = await read(t, running);
  running.core.emit({ reason: 'rate_limit' });
  const text = await line.until((soFar) => /data: .*\n\n/.test(soFar));
  assert.match(text, /content-type: text\/event-stream\r\n/i);
  assert.match(text, new RegExp(`\\r\\nid: ${epoch}-1\\nevent: security_event\\ndata: `));
  const data = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '');
  assert.deepEqual(data, event({ reason: 'rate_limit' }));
  assert.deepEqual(SecurityEvent.parse(data), data);
});

test('a reader that comes back gets what it missed, and one of an earlier run all', async (t) => {
  const running = await start(t);
  for (let count = 0; count < 4; count += 1) running.core.emit({});
  const resumed = await read(t, running, '', `${epoch}-2`);
  const restarted = await read(t, running, '', 'earlier-77');
  const current = await read(t, running, '', `${epoch}-4`);
  const fresh = await read(t, running);
  const garbled = await read(t, running, '', '../../etc');
  const ahead = await read(t, running, '', `${epoch}-99`);
  running.core.emit({});
  assert.deepEqual(await idsUntil(resumed, 5), numbers(3, 4, 5));
  assert.deepEqual(await idsUntil(restarted, 5), numbers(1, 2, 3, 4, 5));
  for (const line of [current, fresh, garbled, ahead]) assert.deepEqual(await idsUntil(line, 5), numbers(5));
});

test('events that are not kept any more are told of', async (t) => {
  const running = await start(t, { bounds: { apiEvents: 2 } });
  for (let count = 0; count < 5; count += 1) running.core.emit({});
  const line = await read(t, running, '', `${epoch}-1`);
  assert.deepEqual(await idsUntil(line, 5), numbers(4, 5));
  assert.match(line.text(), /^: 2 events are not kept any more$/m);
});

test('service and action choose, live and on replay', async (t) => {
  const running = await start(t);
  running.core.emit({ service: 'web' });
  running.core.emit({ service: 'ssh', action: 'banned' });
  running.core.emit({ service: 'ssh' });
  const web = await read(t, running, '?service=web', 'earlier-0');
  const banned = await read(t, running, '?service=ssh&action=banned', 'earlier-0');
  running.core.emit({ service: 'web', action: 'banned' });
  running.core.emit({ service: 'ssh', action: 'banned' });
  running.core.emit({ service: 'web' });
  assert.deepEqual(await idsUntil(web, 6), numbers(1, 4, 6));
  assert.deepEqual(await idsUntil(banned, 5), numbers(2, 5));
  const wrong = await fetch(`${running.url}/events?action=all`);
  assert.equal(wrong.status, 400);
});

test('a connection that broke goes on where it was', async (t) => {
  const running = await start(t);
  const first = await read(t, running);
  running.core.emit({});
  const [last] = await idsUntil(first, 1);
  first.socket.destroy();
  running.core.emit({});
  const second = await read(t, running, '', last);
  assert.deepEqual(await idsUntil(second, 2), numbers(2));
});

test('a reader that does not read is dropped, and costs the others nothing', async (t) => {
  const running = await start(t);
  const { core } = running;
  const slow = await read(t, running);
  slow.socket.pause();
  const quick = await read(t, running);
  const metric = async () =>
    /tcp_guard_event_readers (\d+)/.exec(await (await fetch(`${running.url}/metrics`)).text())?.[1];
  assert.equal(await metric(), '2');
  const facts = { note: 'x'.repeat(100_000) };
  const before = process.memoryUsage().arrayBuffers;
  let sent = 0;
  while ((await metric()) === '2' && sent < 1000) {
    sent += 1;
    core.emit({ facts });
    await idsUntil(quick, sent);
  }
  assert.equal(await metric(), '1');
  assert.ok(sent < 1000);
  assert.ok(process.memoryUsage().arrayBuffers - before < 8 * daemonBounds.apiEventsBytes);
  core.emit({});
  await idsUntil(quick, sent + 1);
});

test('a reader that takes nothing between two heartbeats is dropped', async (t) => {
  const running = await start(t, { bounds: { apiHeartbeatMs: 20 } });
  const line = await read(t, running);
  await line.until((text) => (text.match(/^:$/gm) ?? []).length >= 2);
  line.socket.pause();
  const facts = { note: 'x'.repeat(1_000_000) };
  for (let count = 0; count < 8; count += 1) running.core.emit({ facts });
  const readers = async () => (await (await fetch(`${running.url}/metrics`)).text()).includes('event_readers 0');
  while (!(await readers()));
});

test('there are so many readers and no more, until one leaves', async (t) => {
  const running = await start(t);
  const lines = await Promise.all(Array.from({ length: daemonBounds.apiReaders }, () => read(t, running)));
  const refused = await fetch(`${running.url}/events`);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '10']);
  const { error } = (await refused.json()) as { error: { code: string } };
  assert.equal(error.code, 'too_many_readers');
  lines[0]?.socket.destroy();
  let response: Response;
  do response = await fetch(`${running.url}/events`);
  while (response.status === 429);
  assert.equal(response.status, 200);
  await response.body?.cancel();
  running.core.emit({});
  for (const line of lines.slice(1)) assert.deepEqual(await idsUntil(line, 1), numbers(1));
});

test('closing cuts the readers', async (t) => {
  const running = await start(t);
  const line = await read(t, running);
  const closed = once(line.socket, 'close');
  await running.api.close();
  await closed;
});
