import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { heldCount, openHeldRequest, start, untilHeld } from './held-site.ts';
import { answersIn, exchangeBytes, open, request } from './wire.ts';

for (const isShared of [true, false])
  test(`ceiling, ${isShared ? 'shared by workers' : 'of one worker'}`, async (t) => {
    const nginx = await start(t, { isShared, workers: isShared ? 3 : 1 });
    const sockets = [await openHeldRequest(nginx, '/endless/.env'), await openHeldRequest(nginx, '/endless/.env')];
    assert.equal(await heldCount(nginx), 2);

    const refused = await exchangeBytes(nginx.port, request('GET', '/endless/.env', 'Connection: close'));
    const [answer = assert.fail()] = answersIn(refused, 'GET');
    assert.equal(answer.status, 403);
    assert.equal(answer.body, '403 Forbidden\n');
    for (const header of ['X-Content-Type-Options: nosniff', 'X-Own: yes']) assert.ok(answer.headers.includes(header));
    const all = await exchangeBytes(nginx.port, request('GET', '/crowd/.env', 'Connection: close'));
    assert.match(all, /^HTTP\/1.1 403 /);
    assert.equal(await heldCount(nginx), 2);

    for (const socket of sockets) socket.destroy();
    await untilHeld(nginx, 0);
    (await openHeldRequest(nginx, '/endless/.env')).destroy();
    await untilHeld(nginx, 0);
  });

test('what a dead worker held is forgotten after two epochs', async (t) => {
  // The test controls the clock, and never renews the slot `lost`.
  const locations = `
    location = /leases {
      content_by_lua_block {
        local held, now, clock = require("guard.held"), ngx.now, ngx.now()
        ngx.now = function() return clock end
        held.acquire(held.RESPONSES, "lost", 9, 9)
        local kept = held.acquire(held.RESPONSES, "kept", 9, 9)
        local totals = { held.total() }
        for _ = 1, 2 do
          clock = clock + 30
          held.renew(kept)
          totals[#totals + 1] = held.total()
        end
        held.release(kept)
        held.release(kept)
        totals[#totals + 1] = held.total()
        ngx.now = now
        ngx.print(table.concat(totals, " "))
      }
    }`;
  for (const isShared of [true, false]) {
    const { port } = await start(t, { isShared, locations });
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/leases`)).text(), '2 2 1 0');
  }
});

test('a flood from many networks evicts neither what is held nor the secret', async (t) => {
  const locations = `
    location = /flood {
      content_by_lua_block {
        local held, secret = require("guard.held"), require("guard.respond.process_secret").get()
        local kept = held.acquire(held.RESPONSES, "kept", 99999, 9)
        for i = 1, 20000 do
          held.release(held.acquire(held.RESPONSES, "network" .. i, 99999, 9))
          if i % 1000 == 0 then held.renew(kept) end
        end
        ngx.print(ngx.shared.guard:get("secret") == secret, " ", held.is_full(held.RESPONSES, "kept", 99999, 1))
        held.release(kept)
      }
    }`;
  const { port } = await start(t, { locations });
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/flood`)).text(), 'true true');
});

test('an error of Lua before the work begins releases the slot', async (t) => {
  const locations = `
    location = /fault {
      content_by_lua_block {
        local spawn = ngx.thread.spawn
        ngx.thread.spawn = function() error("a fault") end
        local ok, err = pcall(answers.endless, { client = "192.0.2.7" })
        ngx.thread.spawn = spawn
        ngx.print(require("guard.held").total(), " ", tostring(ok), " ", tostring(err))
      }
    }`;
  const { port } = await start(t, { locations });
  assert.match(await (await fetch(`http://127.0.0.1:${port}/fault`)).text(), /^0 false .*a fault$/);
});

for (const condition of ['If-None-Match: *', 'If-Match: "x"', 'If-Unmodified-Since: Wed, 21 Oct 2015 07:28:00 GMT'])
  test(`a request with ${condition} is held and releases its slot`, async (t) => {
    const nginx = await start(t);
    const socket = await open(nginx.port);
    socket.write(request('GET', '/endless/.env', condition));
    const [bytes] = await once(socket, 'data');
    assert.match(String(bytes), /^HTTP\/1.1 200 /);
    socket.destroy();
    await untilHeld(nginx, 0);
  });

test('a reload ends what is held', async (t) => {
  const nginx = await start(t);
  const socket = await openHeldRequest(nginx, '/endless/.env');
  const closed = once(socket, 'close');
  socket.resume();
  nginx.master.kill('SIGHUP');
  await closed;
  while (!nginx.errorLog().includes('exited with code 0')) await turn();
  assert.equal(await heldCount(nginx), 0);
  (await openHeldRequest(nginx, '/endless/.env')).destroy();
  assert.doesNotMatch(nginx.errorLog(), /\[(?:error|crit|alert|emerg)\]/);
});
