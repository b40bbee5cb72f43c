import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { limits } from '../../../../contract/policy/limits.ts';
import { childrenOf } from '../../../../platform/testing/child.ts';
import { bodyAfterHead, heldCount, openHeldRequest, start, untilHeld } from './held-site.ts';
import type { Nginx } from './nginx.ts';
import { exchangeBytes, request } from './wire.ts';

/** Returns the peak memory of the only worker in KiB. */
function workerMemory({ master }: Nginx): number {
  const [worker] = childrenOf(master.pid as number);
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${worker}/status`, 'utf8'))?.[1]);
}

test('infinite_stream', async (t) => {
  const nginx = await start(t);
  await t.test('is as long as it says, and costs no memory', async () => {
    const before = workerMemory(nginx);
    const response = await fetch(`http://127.0.0.1:${nginx.port}/stream/.env`);
    let length = 0;
    for await (const chunk of response.body ?? []) length += chunk.length;
    assert.equal(length, 32 * 1024 * 1024);
    assert.ok(workerMemory(nginx) - before < 4 * 1024, `grew by ${workerMemory(nginx) - before} KiB`);
  });
  await t.test('nor with HTTP/1.0, where nginx would keep it in memory', async () => {
    const before = workerMemory(nginx);
    const bytes = await exchangeBytes(nginx.port, 'GET /stream/.env HTTP/1.0\r\n\r\n');
    assert.equal(bodyAfterHead(bytes).length, 32 * 1024 * 1024);
    assert.ok(workerMemory(nginx) - before < 4 * 1024, `grew by ${workerMemory(nginx) - before} KiB`);
  });
  await t.test('all of them together keep to the rate', async () => {
    const started = performance.now();
    const lengths = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const bytes = await exchangeBytes(nginx.port, request('GET', '/slow/.env', 'Connection: close'));
        return bodyAfterHead(bytes).length;
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    const sum = lengths.reduce((total, length) => total + length, 0);
    assert.ok(Math.min(...lengths) > 0, String(lengths));
    assert.ok(sum <= limits.streamBytesPerSecond * seconds + 1024 * 1024, `${sum} bytes in ${seconds} s`);
  });
});

test('the bytes of infinite_stream are made when the policy is loaded, not for requests', async (t) => {
  // Counts the large blocks of random bytes that a worker generates.
  const http = `
    init_worker_by_lua_block {
      local hmac, made = require("guard.hmac"), 0
      local random = hmac.random
      hmac.random = function(bytes)
        made = made + (bytes >= 1024 and 1 or 0)
        return random(bytes)
      end
      hmac.count = function() return made end
    }`;
  const locations = `
    location = /made { content_by_lua_block { ngx.print(require("guard.hmac").count()) } }
    location = /make { content_by_lua_block { require("guard.hmac").random(1024) } }`;
  const nginx = await start(t, { http, locations });
  const made = async () => Number(await (await fetch(`http://127.0.0.1:${nginx.port}/made`)).text());
  for (let count = 0; count < 2; count++) {
    const bytes = await exchangeBytes(nginx.port, 'GET /stream/.env HTTP/1.0\r\n\r\n');
    assert.equal(bodyAfterHead(bytes).length, 32 * 1024 * 1024);
  }
  assert.equal(await made(), 0);
  await fetch(`http://127.0.0.1:${nginx.port}/make`);
  assert.equal(await made(), 1);
});

test('readers of infinite_stream that do not read', async (t) => {
  const nginx = await start(t);
  await t.test('a reader that takes nothing is cut off', async () => {
    const socket = await openHeldRequest(nginx, '/slow/.env');
    socket.pause();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await untilHeld(nginx, 0);
    let length = 0;
    socket.on('data', (chunk) => (length += chunk.length));
    socket.resume();
    await closed;
    assert.ok(length < 100 * 1024 * 1024);
  });
  await t.test('so is an HTTP/2 stream that the client does not read', async () => {
    const session = connect(`http://127.0.0.1:${nginx.http2Port}`);
    const stream = session.request({ ':path': '/slow/.env' });
    const closed = new Promise((resolve) => stream.on('error', () => {}).on('close', resolve));
    await once(stream, 'response');
    stream.pause();
    await untilHeld(nginx, 0);
    stream.resume();
    await closed;
    assert.notEqual(stream.rstCode, 0);
    session.destroy();
  });
});

test('other requests get their turn beside a client that reads infinite_stream at once', async (t) => {
  // Imitates a client that reads as fast as possible: nginx never waits for it.
  const http = `
    init_worker_by_lua_block {
      local print, flush = ngx.print, ngx.flush
      ngx.print = function(...) return ngx.ctx.takes_all or print(...) end
      ngx.flush = function(...)
        ngx.ctx.takes_all = ngx.ctx.takes_all or ngx.var.uri == "/eager" and flush(...)
        return ngx.ctx.takes_all or flush(...)
      end
    }`;
  const locations = 'location = /eager { content_by_lua_block { answers.long({ client = ngx.var.remote_addr }) } }';
  const nginx = await start(t, { http, locations });
  const socket = await openHeldRequest(nginx, '/eager');
  for (let round = 0; round < 5; round++) {
    const other = await exchangeBytes(nginx.port, request('GET', '/bomb/.env', 'Connection: close'));
    assert.match(other, /^HTTP\/1.1 200 .*\r\nContent-Encoding: gzip\r\n/s);
    assert.equal(await heldCount(nginx), 1);
  }
  socket.destroy();
  await untilHeld(nginx, 0);
});
