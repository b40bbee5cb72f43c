import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { startProvider } from '../../proxies/captcha/provider.ts';
import { answerPage, ask } from '../../proxies/captcha/visitor.ts';
import { startGuarded } from './guarded.ts';

const hours = 7200;

/** Lua code that replaces the clock of the guard, and defines a function that sets it. */
const clock = `
  local now, time, offset = ngx.now, ngx.time, 0
  ngx.now = function() return now() + offset end
  ngx.time = function() return time() + offset end
  package.loaded.set_clock = function(by) offset = by end`;

const open = 'rewrite_by_lua_block { }';
const locations = `
  location = /clock {
    ${open}
    content_by_lua_block { require("set_clock")(tonumber(ngx.var.arg_by)) ngx.print("set") }
  }
  location = /held { ${open} content_by_lua_block { ngx.print(require("guard.held").total()) } }
  location = /turns {
    ${open}
    content_by_lua_block {
      local set_clock, turns = require("set_clock"), require("guard.turns")
      local function work(pause)
        local started = os.clock()
        while os.clock() - started < 0.01 do end
        pause()
      end
      local first = turns()
      work(first)
      work(first)
      set_clock(-${hours})
      work(turns())
      ngx.print("done")
    }
  }`;

interface Site {
  readonly port: number;
  /** Sets the clock of the guard `by` seconds after the real time. */
  readonly set: (by: number) => Promise<void>;
}

async function start(t: TestContext, policy: object): Promise<Site> {
  const { port } = await startGuarded(t, { policies: { default: policy }, lua: clock, server: locations });
  return { port, set: async (by) => assert.equal((await ask(port, `/clock?by=${by}`)).body, 'set') };
}

test('a pass is valid neither before it was made nor after it expired', async (t) => {
  const provider = await startProvider(t);
  const captcha = {
    ...{ provider: 'turnstile', siteKey: 'k', secretKey: provider.secretKey },
    verifyUrl: `http://127.0.0.1:${provider.port}${provider.verifyPath}`,
  };
  const policy = { secret: 'a secret of the tests', blockPatterns: ['^/one'], response: { mode: 'captcha', captcha } };
  const { port, set } = await start(t, policy);
  const page = await ask(port, '/one');
  await set(-hours);
  assert.equal((await answerPage(port, page, provider.solve())).status, 403);
  await set(hours);
  assert.equal((await answerPage(port, page, provider.solve())).status, 403);
  assert.equal(provider.verificationRequests.length, 0);
  const { cookie = '' } = await answerPage(port, await ask(port, '/one'), provider.solve());
  const statuses: number[] = [];
  for (const by of [hours, hours + 30, 0, 2 * hours]) {
    await set(by);
    statuses.push((await ask(port, '/one', { cookie })).status);
  }
  assert.deepEqual(statuses, [200, 200, 403, 403]);
});

/** Resolves with the number of bytes when the connection ends. */
async function download(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  let length = 0;
  socket.on('error', () => {}).on('data', (chunk) => (length += chunk.length));
  socket.write(`GET /.env HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return length;
}

test('a response is held no longer than its time', async (t) => {
  const tarpit = { mode: 'tarpit', tarpitDelayMs: 10, tarpitMaxDurationSeconds: 1 };
  const { port, set } = await start(t, { response: tarpit });
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).write('GET /.env HTTP/1.1\r\nHost: example.com\r\n\r\n');
  await once(socket, 'data');
  const closed = once(socket.resume(), 'close');
  await set(-hours);
  await closed;
  assert.equal((await ask(port, '/held')).body, '0');
});

test('streams that begin after the clock was set back are sent', async (t) => {
  const { port, set } = await start(t, { response: { mode: 'infinite_stream', streamSizeMb: 1 } });
  for (const by of [0, -hours, 0]) {
    await set(by);
    assert.ok((await download(port)) > 2 ** 20, `the clock is set by ${by} s`);
  }
});

test('inspections that wait for their turn get it', async (t) => {
  const { port } = await start(t, {});
  assert.equal((await ask(port, '/turns')).body, 'done');
});
