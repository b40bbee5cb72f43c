/** Modes that hold requests open: what they send, their ceiling, and how they end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { limits } from '../../../contract/policy/limits.ts';
import { until } from '../../../platform/until.ts';
import { type Nginx, startNginx } from './nginx.ts';
import { answersIn, everything, open, request } from './wire.ts';

const endless = { mode: 'tarpit', tarpitDelayMs: 10, tarpitMaxDurationSeconds: 3600 } as const;

const policies = {
  tarpit: { response: { mode: 'tarpit', tarpitDelayMs: 300, tarpitMaxDurationSeconds: 1 } },
  endless: { response: { ...endless, maxHeld: 3, maxHeldPerAddress: 2, headers: { 'X-Own': 'yes' } } },
  crowd: { response: { ...endless, maxHeld: 1, maxHeldPerAddress: 9 } },
  bomb: { response: { mode: 'gzip_bomb', gzipBombMb: 3 } },
  big: { response: { mode: 'gzip_bomb', gzipBombMb: 100 } },
  stream: { response: { mode: 'infinite_stream', streamSizeMb: 32 } },
  long: { response: { mode: 'infinite_stream', streamSizeMb: 102_400 } },
  slow: { response: { mode: 'infinite_stream', streamSizeMb: 100, maxResponseSeconds: 1 } },
} as const;

const start = (t: TestContext, more = {}): Promise<Nginx> => startNginx(t, { policies, ...more });

async function held({ port }: Nginx): Promise<number> {
  return Number(await (await fetch(`http://127.0.0.1:${port}/held`)).text());
}

async function untilHeld(nginx: Nginx, wanted: number): Promise<void> {
  while ((await held(nginx)) !== wanted) await turn();
}

/** A connection that is being held: its first bytes have come. */
async function holding(nginx: Nginx, path: string) {
  const socket = await open(nginx.port);
  socket.on('error', () => {});
  socket.write(request('GET', path));
  await once(socket, 'data');
  return socket;
}

const bodyAfterHead = (bytes: string) => bytes.slice(bytes.indexOf('\r\n\r\n') + 4);

for (const isShared of [true, false])
  test(`ceiling, ${isShared ? 'shared by workers' : 'of one worker'}`, async (t) => {
    const nginx = await start(t, { isShared, workers: isShared ? 3 : 1 });
    const sockets = [await holding(nginx, '/endless/.env'), await holding(nginx, '/endless/.env')];
    assert.equal(await held(nginx), 2);

    const refused = await everything(nginx.port, request('GET', '/endless/.env', 'Connection: close'));
    const [answer = assert.fail()] = answersIn(refused, 'GET');
    assert.equal(answer.status, 403);
    assert.equal(answer.body, '403 Forbidden\n');
    for (const header of ['X-Content-Type-Options: nosniff', 'X-Own: yes']) assert.ok(answer.headers.includes(header));
    const all = await everything(nginx.port, request('GET', '/crowd/.env', 'Connection: close'));
    assert.match(all, /^HTTP\/1.1 403 /);
    assert.equal(await held(nginx), 2);

    for (const socket of sockets) socket.destroy();
    await untilHeld(nginx, 0);
    (await holding(nginx, '/endless/.env')).destroy();
    await untilHeld(nginx, 0);
  });

test('what a dead worker held is forgotten after two epochs', async (t) => {
  // The clock is the test's; a slot is taken and never renewed, another one is.
  const locations = `
    location = /leases {
      content_by_lua_block {
        local held, now, clock = require("guard.held"), ngx.now, ngx.now()
        ngx.now = function() return clock end
        held.acquire("lost", 9, 9)
        local kept = held.acquire("kept", 9, 9)
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
        local kept = held.acquire("kept", 99999, 9)
        for i = 1, 20000 do
          held.release(held.acquire("network" .. i, 99999, 9))
          if i % 1000 == 0 then held.renew(kept) end
        end
        ngx.print(ngx.shared.guard:get("secret") == secret, " ", held.is_full("kept", 99999, 1))
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

test('tarpit', async (t) => {
  const nginx = await start(t);
  await t.test('sends single bytes and ends', async () => {
    // A worker that does not run for a second notices the end too late, and cuts the response off.
    await until(async () => {
      const bytes = await everything(nginx.port, request('GET', '/tarpit/.env', 'Connection: close'));
      assert.match(
        bytes,
        /^HTTP\/1.1 200 .*\r\nContent-Type: text\/plain; charset=utf-8\r\n.*\r\nCache-Control: no-store\r\n/s,
      );
      return /^(?:1\r\n\.\r\n){1,3}0\r\n\r\n$/.test(bodyAfterHead(bytes));
    }, 'a response in single bytes with an end');
    await untilHeld(nginx, 0);
  });
  await t.test('HEAD gets headers and ends', async () => {
    const bytes = await everything(nginx.port, request('HEAD', '/endless/.env', 'Connection: close'));
    assert.match(bytes, /^HTTP\/1.1 200 .*\r\n\r\n$/s);
  });
  await t.test('ends with the stream of HTTP/2', async () => {
    const session = connect(`http://127.0.0.1:${nginx.http2Port}`);
    const stream = session.request({ ':path': '/endless/.env' });
    await once(stream, 'data');
    assert.equal(await held(nginx), 1);
    stream.close();
    await untilHeld(nginx, 0);
    session.destroy();
  });
  await t.test('ends when the client leaves that sent a body', async () => {
    const socket = await open(nginx.port);
    socket.write(`${request('POST', '/endless/.env', 'Content-Length: 3')}abc`);
    await once(socket, 'data');
    socket.destroy();
    await untilHeld(nginx, 0);
  });
  await t.test('neither waits for a body that is withheld, nor goes on when its client leaves', async () => {
    const socket = await open(nginx.port);
    socket.write(`${request('POST', '/endless/.env', 'Content-Length: 9')}half`);
    await once(socket, 'data');
    assert.equal(await held(nginx), 1);
    socket.destroy();
    await untilHeld(nginx, 0);
  });
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

test('a client that expects 100 Continue gets none after the response', async (t) => {
  const nginx = await start(t);
  const socket = await open(nginx.port);
  const chunks: string[] = [];
  socket.on('data', (chunk) => chunks.push(String(chunk)));
  socket.write(request('POST', '/tarpit/.env', 'Expect: 100-continue', 'Content-Length: 3', 'Connection: close'));
  await until(() => chunks.join('').includes('0\r\n\r\n'), 'the end of the response');
  const closed = once(socket, 'close');
  socket.write('abc');
  await closed;
  assert.doesNotMatch(chunks.join(''), /100 Continue/);
});

test('a reload ends what is held', async (t) => {
  const nginx = await start(t);
  const socket = await holding(nginx, '/endless/.env');
  const closed = once(socket, 'close');
  socket.resume();
  nginx.master.kill('SIGHUP');
  await closed;
  while (!nginx.errorLog().includes('exited with code 0')) await turn();
  assert.equal(await held(nginx), 0);
  (await holding(nginx, '/endless/.env')).destroy();
  assert.doesNotMatch(nginx.errorLog(), /\[(?:error|crit|alert|emerg)\]/);
});

test('gzip_bomb', async (t) => {
  const nginx = await start(t);
  for (const [name, mib] of [
    ['bomb', 3],
    ['big', 100],
  ] as const)
    await t.test(`${mib} MiB for the real gunzip`, async () => {
      const gunzip = spawn('sh', ['-c', 'gunzip -c | wc -c'], { stdio: ['pipe', 'pipe', 'inherit'] });
      const bytes = await everything(nginx.port, request('GET', `/${name}/.env`, 'Connection: close'));
      assert.match(bytes, /\r\nContent-Encoding: gzip\r\n/);
      gunzip.stdin.end(Buffer.from(bodyAfterHead(bytes), 'latin1'));
      const [out] = await once(gunzip.stdout, 'data');
      assert.equal(Number(out), mib * 1024 * 1024);
      assert.equal(bodyAfterHead(bytes).length, Number(/^Content-Length: (\d+)/im.exec(bytes)?.[1]));
    });
  await t.test('HEAD', async () => {
    const bytes = await everything(nginx.port, request('HEAD', '/bomb/.env', 'Connection: close'));
    assert.match(bytes, /^HTTP\/1.1 200 .*\r\nContent-Encoding: gzip\r\n.*\r\n\r\n$/s);
  });
});

/** Memory of the one worker, KiB. */
function workerMemory({ master }: Nginx): number {
  const children = readFileSync(`/proc/${master.pid}/task/${master.pid}/children`, 'utf8').trim();
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${children}/status`, 'utf8'))?.[1]);
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
    const bytes = await everything(nginx.port, 'GET /stream/.env HTTP/1.0\r\n\r\n');
    assert.equal(bodyAfterHead(bytes).length, 32 * 1024 * 1024);
    assert.ok(workerMemory(nginx) - before < 4 * 1024, `grew by ${workerMemory(nginx) - before} KiB`);
  });
  await t.test('all of them together keep to the rate', async () => {
    const started = performance.now();
    const lengths = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const bytes = await everything(nginx.port, request('GET', '/slow/.env', 'Connection: close'));
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
  // Counts the large blocks of random bytes that a worker makes.
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
    const bytes = await everything(nginx.port, 'GET /stream/.env HTTP/1.0\r\n\r\n');
    assert.equal(bodyAfterHead(bytes).length, 32 * 1024 * 1024);
  }
  assert.equal(await made(), 0);
  await fetch(`http://127.0.0.1:${nginx.port}/make`);
  assert.equal(await made(), 1);
});

test('readers of infinite_stream that do not read', async (t) => {
  const nginx = await start(t);
  await t.test('a reader that takes nothing is cut off', async () => {
    const socket = await holding(nginx, '/slow/.env');
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
  // After its first piece, this client takes everything at once: nothing that nginx does lets other requests run.
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
  const socket = await holding(nginx, '/eager');
  for (let round = 0; round < 5; round++) {
    const other = await everything(nginx.port, request('GET', '/bomb/.env', 'Connection: close'));
    assert.match(other, /^HTTP\/1.1 200 .*\r\nContent-Encoding: gzip\r\n/s);
    assert.equal(await held(nginx), 1);
  }
  socket.destroy();
  await untilHeld(nginx, 0);
});
