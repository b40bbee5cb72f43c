import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { bytesOf, type Guarded, type Message, startGuarded } from './guarded.ts';
import { open } from './respond/wire.ts';

const policies = { default: {}, post: { methods: ['GET', 'POST'], checkBody: true, maxBodyBytes: 100_000 } };
const ok: Message = { target: '/ok' };
const post = (body: string): Message => ({
  method: 'POST',
  policy: 'post',
  headers: [['Content-Type', 'application/x-www-form-urlencoded']],
  body,
});
const honest = 'comment=Hello+world+this+is+some+text%2C+honest%0D%0A&'.repeat(1100);
const hostile = 'a=x%255cy%2e+z;w&'.repeat(4096);

/** Writes a line for each response, and for each pause of an inspection. */
const notes = {
  lua: `
    function note(line)
      local file = io.open(ngx.config.prefix() .. "/notes", "a")
      file:write(line, "\\n")
      file:close()
    end
    local hold, turns = require("guard.respond.hold"), require("guard.turns")
    local sleep, has_slept = hold.sleep, {}
    hold.sleep = function(seconds)
      sleep(seconds)
      has_slept[coroutine.running()] = true
    end
    package.loaded["guard.turns"] = function()
      local pause, start = turns()
      return function()
        pause()
        if has_slept[coroutine.running()] then
          has_slept[coroutine.running()] = nil
          note("turn")
        end
      end, start
    end`,
  // nginx writes the access log when the client has closed the connection, which is too late.
  server: 'header_filter_by_lua_block { note(ngx.req.get_method() .. " " .. ngx.status) }',
};

interface Noted extends Guarded {
  readonly notes: () => string[];
  /** Process id of the only worker. */
  readonly worker: number;
}

async function start(t: TestContext): Promise<Noted> {
  const nginx = await startGuarded(t, { policies, ...notes });
  const file = join(nginx.folder, 'notes');
  const master = readFileSync(join(nginx.folder, 'pid'), 'utf8').trim();
  const worker = () => Number(readFileSync(`/proc/${master}/task/${master}/children`, 'utf8'));
  await until(() => worker() > 0, 'nginx starts its worker');
  return {
    ...nginx,
    notes: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []),
    worker: worker(),
  };
}

async function stop(worker: number): Promise<void> {
  process.kill(worker, 'SIGSTOP');
  await until(() => /^State:\tT/m.test(readFileSync(`/proc/${worker}/status`, 'utf8')), 'the worker stops');
}

/** Resolves when the kernel has received all bytes. */
async function sent(port: number, message: Message): Promise<void> {
  const socket = await open(port);
  await new Promise((resolve) => socket.resume().write(bytesOf(message), resolve));
}

test('other requests are served while the guard inspects bodies that take long', async (t) => {
  const { notes, port, worker } = await start(t);
  const count = 8;
  // A stopped worker finds all requests together. Only its scheduling decides their order.
  await stop(worker);
  for (const message of [post(honest), ok]) for (let index = 0; index < count; index += 1) await sent(port, message);
  process.kill(worker, 'SIGCONT');
  const served = () => notes().filter((line) => line !== 'turn');
  await until(() => served().length === 2 * count, 'all requests are served');
  assert.deepEqual(new Set(served()), new Set(['GET 200', 'POST 200']));
  assert.ok(served().lastIndexOf('GET 200') < served().lastIndexOf('POST 200'), served().join());
});

test('a request waits for one turn, however many inspections wait for theirs', async (t) => {
  const { notes, port, worker } = await start(t);
  const count = 16;
  const client = await open(port);
  client.write(bytesOf(ok, false));
  await once(client, 'data');
  for (let index = 0; index < count; index += 1) await sent(port, post(hostile));
  await until(() => notes().length > 4 * count, 'the inspections take turns');
  await stop(worker);
  const before = notes().length;
  const due = performance.now() + 100;
  await new Promise((resolve) => client.write(bytesOf(ok, false), resolve));
  await until(() => performance.now() > due, 'all turns are due');
  process.kill(worker, 'SIGCONT');
  await once(client, 'data');
  const turns = notes().slice(before).indexOf('GET 200');
  // The worker may finish a turn, and start one more before it polls its connections.
  assert.ok(turns >= 0 && turns <= 2, notes().slice(before).join());
  client.destroy();
});
