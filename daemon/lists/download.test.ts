import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { isListUrl } from '../../contract/daemon/lists.ts';
import { download } from './download.ts';

async function served(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const bounds = { mostBytes: 1000, ms: 10_000 };

test('downloads a document, and not again while its ETag is the same', async (t) => {
  const url = await served(t, ({ headers }, response) => {
    if (headers['if-none-match'] === '"1"') response.writeHead(304).end();
    else response.setHeader('ETag', '"1"').end('192.0.2.1\n');
  });
  assert.deepEqual(await download(url, bounds), { text: '192.0.2.1\n', etag: '"1"' });
  assert.deepEqual(await download(url, { ...bounds, etag: '"1"' }), { text: undefined, etag: '"1"' });
});

test('sends no ETag back that a server would refuse', async (t) => {
  const url = await served(t, (_, response) =>
    response.setHeader('ETag', `"${'x'.repeat(10_000)}"`).end('192.0.2.1\n'),
  );
  assert.deepEqual(await download(url, bounds), { text: '192.0.2.1\n', etag: undefined });
});

const refusedAnswers: Readonly<Record<string, readonly [RequestListener, RegExp]>> = {
  'an error': [(_, response) => response.writeHead(503).end('x'), /status 503/],
  'another protocol': [
    ({ socket }) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    /status 101/,
  ],
  'more bytes than the bound': [
    (_, response) => {
      const send = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', send);
      send();
    },
    /more than 1000 bytes/,
  ],
  'a document that is cut off': [
    (_, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('192.0.2.1');
      setImmediate(() => response.destroy());
    },
    /^Error: the response was truncated$/,
  ],
  'a document that it did not ask to be compressed': [
    (_, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('192.0.2.1\n')),
    /^Error: the response is compressed$/,
  ],
  'a redirect to this machine': [
    (_, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
    /without https/,
  ],
  'a redirect to a private address': [
    (_, response) => response.writeHead(301, { Location: 'https://10.0.0.1/' }).end(),
    /10\.0\.0\.1, a private address/,
  ],
  'a redirect to the metadata of a cloud': [
    (_, response) => response.writeHead(301, { Location: 'https://169.254.169.254/' }).end(),
    /private address/,
  ],
  'a redirect to a private IPv6 address': [
    (_, response) => response.writeHead(307, { Location: 'https://[fd00::1]/' }).end(),
    /private address/,
  ],
  'a redirect to all addresses of this machine': [
    (_, response) => response.writeHead(307, { Location: 'https://0/' }).end(),
    /0\.0\.0\.0, a private address/,
  ],
  'a redirect to all IPv6 addresses of this machine': [
    (_, response) => response.writeHead(307, { Location: 'https://[::]/' }).end(),
    /private address/,
  ],
  'a redirect to this machine as a mapped address': [
    (_, response) => response.writeHead(307, { Location: 'https://[::ffff:127.0.0.1]/' }).end(),
    /private address/,
  ],
  'a redirect to this machine as a number': [
    (_, response) => response.writeHead(307, { Location: 'https://2130706433/' }).end(),
    /127\.0\.0\.1, a private address/,
  ],
  'a redirect to a private address behind a translator': [
    (_, response) => response.writeHead(307, { Location: 'https://[64:ff9b:1::10.0.0.1]/' }).end(),
    /private address/,
  ],
  'a redirect to a name of this machine': [
    (_, response) => response.writeHead(302, { Location: 'https://localhost/' }).end(),
    /private address/,
  ],
  'a redirect without an address': [(_, response) => response.writeHead(302).end(), /without https/],
};

for (const [name, [listener, message]] of Object.entries(refusedAnswers))
  test(`refuses ${name}`, async (t) => assert.rejects(download(await served(t, listener), bounds), message));

test('closes the connection of an error that does not end', async (t) => {
  const closed = Promise.withResolvers<void>();
  const url = await served(t, ({ socket }, response) => {
    socket.once('close', closed.resolve);
    response.writeHead(503).write('x');
  });
  await assert.rejects(download(url, { ...bounds, ms: 600_000 }), /status 503/);
  await closed.promise;
});

test('ends a response that does not end', async (t) => {
  const url = await served(t, (_, response) => response.write('192.0.2.1\n'));
  await assert.rejects(download(url, { ...bounds, ms: 200 }), /no complete response within 0\.2 s/);
});

test('lists are read over https, and over http from this machine', () => {
  for (const url of ['https://a.example/x', 'http://127.0.0.1:8080/', 'http://[::1]/', 'http://localhost/x'])
    assert.equal(isListUrl(url), true, url);
  for (const url of ['http://a.example/', 'file:///etc/passwd', 'https://u:p@a.example/', 'x', 'ftp://a/'])
    assert.equal(isListUrl(url), false, url);
});
