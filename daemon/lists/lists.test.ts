/** Lists through a running daemon: clients have the addresses of PROXY headers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { type Address, parseAddress } from '../../contract/values/address.ts';
import { openBanTable } from '../../engine/ban-list.ts';
import { until } from '../../platform/testing/until.ts';
import { startChangeable } from '../testing/changeable.ts';
import { echo, guardedService, isServed, start, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { createInTurn } from '../time/in-turn.ts';

/** A server of one list, whose text the test changes. Without a text, it does not respond. */
async function publisher(t: TestContext, text: string | undefined) {
  const published = { text, requests: 0 };
  const server = createServer((_, response) => {
    published.requests++;
    if (published.text !== undefined) response.end(published.text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { published, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/list` };
}

async function guarded(t: TestContext, lists: DaemonFile['lists'], { workers = 1, folder = temporaryFolder() } = {}) {
  const { port } = await startUpstream(t, echo);
  const service = guardedService(port, { proxy_protocol: { accept_from: ['127.0.0.1'] } });
  const { daemon, dial } = await start(t, { global: { workers }, lists, services: { echo: service } }, { folder });
  const isClientServed = (ip: string) => isServed(dial('echo'), `PROXY TCP4 ${ip} 127.0.0.1 4000 5000\r\nx`);
  const state = () => daemon.lists()[0];
  return { daemon, isServed: isClientServed, folder, state };
}

for (const workers of [1, 2])
  test(`refuses the addresses of a list, and not those of its exemptions, with ${workers} workers`, async (t) => {
    const { url } = await publisher(t, '203.0.113.0/24\n');
    const { daemon, isServed, state } = await guarded(t, [{ url }], { workers });
    await until(() => state()?.entries === 1);
    await until(async () => !(await isServed('203.0.113.7')));
    assert.equal(await isServed('198.51.100.7'), true);
    await daemon.exemptions.add({ ip: '203.0.113.7', reason: 'x', durationMs: 60_000 });
    await until(() => isServed('203.0.113.7'));
    assert.equal(await isServed('203.0.113.8'), false);
  });

test('drops and counts what a list must not refuse', async (t) => {
  const text = [
    '10.0.0.0/8',
    '127.0.0.1',
    '169.254.1.1',
    '100.64.0.1',
    '224.0.0.1',
    'fe80::1',
    '::',
    '8.0.0.0/7',
    '104.16.0.1',
    'x',
    '203.0.113.7',
  ];
  const { url } = await publisher(t, text.join('\n'));
  const { state } = await guarded(t, [{ url }]);
  await until(() => state()?.entries === 1);
  const { ownNetworks, tooWide, edges, unread } = state() ?? {};
  assert.deepEqual([ownNetworks, tooWide, edges, unread], [7, 1, 1, 1]);
});

test('a list that only detects counts its connections', async (t) => {
  const { url } = await publisher(t, '203.0.113.7\n');
  const { isServed, state } = await guarded(t, [{ url, action: 'detect' }]);
  await until(() => state()?.entries === 1);
  assert.equal(await isServed('203.0.113.7'), true);
  await until(() => state()?.detected === 1);
});

test('keeps the content of the previous run when the server sends a page', async (t) => {
  const { url, published } = await publisher(t, '203.0.113.7\n203.0.113.8\n203.0.113.9\n');
  const { daemon, folder, state } = await guarded(t, [{ url }]);
  await until(() => state()?.entries === 3);
  await daemon.close(0);
  for (const text of ['<html>\n<body>\n', '', '203.0.113.7\n198.51.100.1\n']) {
    Object.assign(published, { text, requests: 0 });
    const next = await guarded(t, [{ url }], { folder });
    await until(() => next.daemon.problems().some((problem) => problem.includes('the 3 entries of before stay')));
    assert.equal(await next.isServed('203.0.113.9'), false);
    await next.daemon.close(0);
  }
});

test('a problem of a list names its address without the query, which can have a key', async (t) => {
  const { url } = await publisher(t, '');
  const { daemon } = await guarded(t, [{ url: `${url}?key=secret` }]);
  await until(() => daemon.problems().length > 0);
  assert.deepEqual(daemon.problems(), [`list ${url}: it is empty`]);
});

test('what leaves a list or is exempt leaves the published file', async (t) => {
  const { url, published } = await publisher(t, '203.0.113.0/24\n198.51.100.1\n198.51.100.2\n');
  const folder = temporaryFolder();
  const file = join(folder, 'bans');
  const { daemon, write } = await startChangeable(t, { services: {}, lists: [{ url }], bans: { publish: file } });
  const isPublished = (ip: string): boolean => {
    const table = existsSync(file) && openBanTable(readFileSync(file));
    return table && 'has' in table && table.has(parseAddress(ip) as Address);
  };
  await until(() => ['203.0.113.7', '198.51.100.1'].every(isPublished));
  await daemon.exemptions.add({ ip: '203.0.113.7', reason: 'x', durationMs: 60_000 });
  await until(() => !isPublished('203.0.113.7'));
  assert.equal(isPublished('203.0.113.8'), true);
  await daemon.exemptions.remove('203.0.113.7');
  await until(() => isPublished('203.0.113.7'));
  published.text = '203.0.113.0/24\n198.51.100.2\n';
  write({ services: {}, lists: [{ url, interval: '5m' }], bans: { publish: file } });
  await daemon.reload('a test');
  await until(() => !isPublished('198.51.100.1'));
});

test('a ban of a listed address that ends leaves the address listed', async (t) => {
  const { url } = await publisher(t, '203.0.113.7\n');
  const { daemon, isServed, state } = await guarded(t, [{ url }], { workers: 2 });
  await until(() => state()?.entries === 1);
  await daemon.bans.add({ ip: '203.0.113.7', reason: 'x', origin: 'api' });
  await daemon.bans.remove('203.0.113.7');
  assert.equal(await isServed('203.0.113.7'), false);
  assert.equal(daemon.bans.count(), 0);
});

test('a list server that does not respond delays no other list', async (t) => {
  const { published: hanging, url: hangs } = await publisher(t, undefined);
  const { url } = await publisher(t, '203.0.113.7\n');
  const { daemon } = await guarded(t, [{ url: hangs }, { url }]);
  await until(() => daemon.lists()[1]?.entries === 1);
  assert.equal(hanging.requests, 1);
  assert.equal(daemon.lists()[0]?.problem, null, 'its time is not over yet');
});

test('at most the given number of works run at once, and begin in order', async () => {
  const inTurn = createInTurn(2);
  const begun: number[] = [];
  const works = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const done = works.map(({ promise }, index) =>
    inTurn(() => {
      begun.push(index);
      return promise;
    }),
  );
  await new Promise(setImmediate);
  assert.deepEqual(begun, [0, 1]);
  works[1]?.reject(new Error('x'));
  await assert.rejects(done[1] as Promise<void>);
  await new Promise(setImmediate);
  assert.deepEqual(begun, [0, 1, 2]);
  works[0]?.resolve();
  works[2]?.resolve();
  works[3]?.resolve();
  await Promise.all([done[0], done[2], done[3]]);
  assert.deepEqual(begun, [0, 1, 2, 3]);
});

test('one list is read at a time, also after one that failed', async () => {
  const inTurn = createInTurn();
  const begun: number[] = [];
  const first = Promise.withResolvers<string>();
  const works = [() => first.promise, async () => 'second'].map((work, index) =>
    inTurn(() => {
      begun.push(index);
      return work();
    }),
  );
  await new Promise(setImmediate);
  assert.deepEqual(begun, [0]);
  first.reject(new Error('x'));
  await assert.rejects(works[0] as Promise<string>);
  assert.equal(await works[1], 'second');
});
