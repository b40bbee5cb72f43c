/** The event stream. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { readRecord } from '../../contract/events/read.ts';
import { until } from '../../platform/testing/until.ts';
import { dial, type Line } from './testing/connection.ts';
import { eventWith } from './testing/core.ts';
import { type Running, start } from './testing/running-api.ts';

/** Connects a reader and waits until its stream has started. */
async function read(t: TestContext, { port }: Running, query = '', lastEventId = ''): Promise<Line> {
  const line = dial(t, { port, host: '127.0.0.1' });
  const id = lastEventId && `Last-Event-ID: ${lastEventId}\r\n`;
  line.socket.write(`GET /events${query} HTTP/1.1\r\nHost: localhost\r\n${id}\r\n`);
  await line.until((text) => preamble.test(text));
  return line;
}

const preamble = /^retry: 2000\nid: (?<epoch>[a-z0-9]+)-\d+\n\n/m;

/** The prefix of the event ids of this run. */
async function epochOf(t: TestContext, running: Running): Promise<string> {
  const line = await read(t, running);
  line.socket.destroy();
  return preamble.exec(line.text())?.groups?.epoch ?? '';
}

/** The numbers of the received events. */
const numbers = (text: string): number[] => (text.match(/(?<=^id: \w+-)\d+(?=\nevent)/gm) ?? []).map(Number);

async function numbersUntil(line: Line, last: number): Promise<number[]> {
  return numbers(await line.until((text) => numbers(text).includes(last)));
}

test('an event is its audit record with an id of this run', async (t) => {
  const running = await start(t);
  const line = await read(t, running);
  running.control.emit({ reason: 'rate_limit' });
  const text = await line.until((soFar) => /data: .*\n\n/.test(soFar));
  assert.match(text, /content-type: text\/event-stream\r\n/i);
  assert.match(text, /\r\nid: [a-z0-9]+-1\nevent: security_event\ndata: /);
  const data = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '');
  assert.deepEqual(data, eventWith({ reason: 'rate_limit' }));
  assert.deepEqual(readRecord(JSON.stringify(data))?.record, data);
});

test('a reconnecting reader gets the events that it missed, and a reader of an earlier run gets all', async (t) => {
  const running = await start(t);
  for (let count = 0; count < 4; count += 1) running.control.emit({});
  const epoch = await epochOf(t, running);
  const resumed = await read(t, running, '', `${epoch}-2`);
  const restarted = await read(t, running, '', 'earlier-77');
  const current = await read(t, running, '', `${epoch}-4`);
  const fresh = await read(t, running);
  const garbled = await read(t, running, '', '../../etc');
  const ahead = await read(t, running, '', `${epoch}-99`);
  running.control.emit({});
  assert.deepEqual(await numbersUntil(resumed, 5), [3, 4, 5]);
  assert.deepEqual(await numbersUntil(restarted, 5), [1, 2, 3, 4, 5]);
  for (const line of [current, fresh, garbled, ahead]) assert.deepEqual(await numbersUntil(line, 5), [5]);
});

test('reports the number of events that are not kept any more', async (t) => {
  const running = await start(t, { bounds: { apiEvents: 2 } });
  for (let count = 0; count < 5; count += 1) running.control.emit({});
  const line = await read(t, running, '', `${await epochOf(t, running)}-1`);
  assert.deepEqual(await numbersUntil(line, 5), [4, 5]);
  assert.match(line.text(), /^: 2 events are not kept any more$/m);
});

test('filters by service and action, live and on replay', async (t) => {
  const running = await start(t);
  running.control.emit({ service: 'web' });
  running.control.emit({ service: 'ssh', action: 'banned' });
  running.control.emit({ service: 'ssh' });
  const web = await read(t, running, '?service=web', 'earlier-0');
  const banned = await read(t, running, '?service=ssh&action=banned', 'earlier-0');
  running.control.emit({ service: 'web', action: 'banned' });
  running.control.emit({ service: 'ssh', action: 'banned' });
  running.control.emit({ service: 'web' });
  assert.deepEqual(await numbersUntil(web, 6), [1, 4, 6]);
  assert.deepEqual(await numbersUntil(banned, 5), [2, 5]);
  const wrong = await fetch(`${running.url}/events?action=all`);
  assert.equal(wrong.status, 400);
});

test('a broken connection resumes at its position, even before its first event', async (t) => {
  const running = await start(t);
  const lastId = ({ text }: Line) =>
    text()
      .match(/(?<=^id: ).+/gm)
      ?.at(-1);
  const first = await read(t, running);
  first.socket.destroy();
  running.control.emit({});
  const second = await read(t, running, '', lastId(first));
  assert.deepEqual(await numbersUntil(second, 1), [1]);
  second.socket.destroy();
  running.control.emit({});
  running.control.emit({});
  const third = await read(t, running, '', lastId(second));
  assert.deepEqual(await numbersUntil(third, 3), [2, 3]);
});

/** Waits until the reader has the event. Searches only the end of the text, which grows to megabytes. */
async function waitForEvent(line: Line, number: number): Promise<void> {
  const isRead = (text: string): boolean => text.slice(-200_000).includes(`-${number}\nevent: `);
  assert.ok(isRead(await line.until(isRead)), `the reader was disconnected before event ${number}`);
}

test('a reader that does not read is disconnected without an effect on others', async (t) => {
  const running = await start(t);
  const { control } = running;
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
    control.emit({ facts });
    await waitForEvent(quick, sent);
  }
  assert.equal(await metric(), '1');
  assert.ok(sent < 1000);
  assert.ok(process.memoryUsage().arrayBuffers - before < 8 * daemonBounds.apiEventsBytes);
  control.emit({});
  await waitForEvent(quick, sent + 1);
});

test('a reader that stalls is disconnected, and heartbeats keep the others', async (t) => {
  const running = await start(t, { bounds: { apiHeartbeatMs: 20, apiStallMs: 200 } });
  const line = await read(t, running);
  await line.until((text) => (text.match(/^:$/gm) ?? []).length >= 2);
  line.socket.pause();
  const facts = { note: 'x'.repeat(1_000_000) };
  for (let count = 0; count < 8; count += 1) running.control.emit({ facts });
  const metrics = async () => (await fetch(`${running.url}/metrics`)).text();
  // The API ends a request whose response this process reads too late, so try again.
  await until(async () => (await metrics().catch(() => '')).includes('event_readers 0'));
});

test('a reader that does not read leaves its place to another one', async (t) => {
  const bounds = { apiReaders: 1, apiReaderStallMs: 1, apiEventsBytes: 2 ** 30, apiStallMs: 600_000 };
  const running = await start(t, { bounds });
  const slow = await read(t, running);
  assert.equal((await fetch(`${running.url}/events`)).status, 429);
  slow.socket.pause();
  const facts = { note: 'x'.repeat(1_000_000) };
  for (let count = 0; count < 16; count += 1) running.control.emit({ facts });
  const other = new AbortController();
  await until(async () => (await fetch(`${running.url}/events`, { signal: other.signal })).status === 200);
  other.abort();
});

test('limits the number of readers until one leaves', async (t) => {
  const running = await start(t);
  const lines = await Promise.all(Array.from({ length: daemonBounds.apiReaders }, () => read(t, running)));
  const refused = await fetch(`${running.url}/events`);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '10']);
  const { error } = (await refused.json()) as { error: { code: string } };
  assert.equal(error.code, 'too_many_readers');
  lines[0]?.socket.destroy();
  await until(async () => {
    const { status, body } = await fetch(`${running.url}/events`);
    await body?.cancel();
    return status === 200;
  });
  running.control.emit({});
  for (const line of lines.slice(1)) assert.deepEqual(await numbersUntil(line, 1), [1]);
});

test('close disconnects the readers', async (t) => {
  const running = await start(t);
  const line = await read(t, running);
  const closed = once(line.socket, 'close');
  await running.api.close();
  await closed;
});
