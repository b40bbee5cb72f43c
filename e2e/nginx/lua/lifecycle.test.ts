import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { limits } from '../../../contract/policy/limits.ts';
import { until } from '../../../platform/testing/until.ts';
import { nginxFolder, runNginx } from '../process.ts';
import {
  bytesOf,
  type Guarded,
  initialization,
  luaFolder,
  startGuarded,
  statusOf,
  statusOverHttp2,
} from './guarded.ts';
import { exchangeBytes } from './respond/wire.ts';

const policies = { default: {}, other: { mode: 'detect', debug: true, response: { mode: 'json' } } };

test('a policy with mistakes keeps nginx from starting and names each', () => {
  const policy = {
    blokPatterns: ['x'],
    blockPatterns: ['(?=x)', '(?:a+)+'],
    methods: [],
    allowedIps: ['10.1'],
    response: { mode: 'txt', tarpitDelayMs: 1, headers: { 'Content-Length': '1' } },
    rules: [{ id: 'env-file', action: 'block', pattern: 'x' }],
    secret: 'short',
  };
  const http = `lua_package_path "${luaFolder}?.lua;${luaFolder}?/init.lua;;"; init_by_lua_file init.lua;`;
  const ended = runNginx(nginxFolder({ http, files: { 'init.lua': initialization({ default: policy }, '') } }));
  assert.notEqual(ended.status, 0);
  for (const line of [
    'blok_patterns: unknown key "blok_patterns"; did you mean "block_patterns"?',
    'block_patterns[0]: lookaround is not allowed (at offset 0)',
    'block_patterns[1]: a text can be split into repetitions of this group in several ways',
    'methods: expected at least 1 entries, found 0',
    'allowed_ips[0]: expected an IPv4 or IPv6 address or CIDR, found "10.1"',
    'response.mode: expected one of json,',
    'response.tarpit_delay_ms: expected 10 to 30000, found 1',
    'response.headers.Content-Length: Content-Length is set by the proxy alone',
    'rules[0].id: "env-file" is the id of a built-in rule; take another',
    'secret: expected at least 16 bytes, found 5',
    'security_log_file: expected at least 1 bytes, found 0',
  ])
    assert.ok(ended.output.includes(line), `${line}\n${ended.output}`);
});

test('a secret of the environment is held to its bounds like one of the policy', (t) => {
  const name = 'GUARD_TEST_SECRET';
  const start = (value: string | undefined) => {
    delete process.env[name];
    if (value !== undefined) process.env[name] = value;
    const policy = `require("guard").init({ secret = "\${${name}}" }) io.stdout:write("taken\\n") io.stdout:flush() os.exit(0)`;
    const http = `lua_package_path "${luaFolder}?.lua;${luaFolder}?/init.lua;;"; init_by_lua_file init.lua;`;
    return runNginx(nginxFolder({ main: `env ${name};`, http, files: { 'init.lua': policy } })).output;
  };
  t.after(() => delete process.env[name]);
  assert.match(start(undefined), /secret: the environment variable GUARD_TEST_SECRET is not set/);
  assert.match(start('fifteen bytes..'), /secret: expected 16 to 1024 bytes in the environment variable, found 15/);
  assert.match(start('sixteen bytes...'), /^taken$/m);
});

test('a request without a policy is refused', async (t) => {
  const nginx = await startGuarded(t, { policies });
  assert.equal(await statusOf(nginx, { policy: 'absent' }), 500);
  assert.match(nginx.log(), /init\(\) was not called with a policy named "absent"/);
});

test('a fault of the engine refuses the request, unless the guard only detects', async (t) => {
  const lua = `
    local split = require("guard.engine.split")
    package.loaded["guard.engine.split"] = function(target)
      return target == "/fault%20" and error("a fault") or split(target)
    end`;
  const nginx = await startGuarded(t, { policies, lua });
  assert.equal(await statusOf(nginx, { target: '/fault%20' }), 500);
  assert.equal(await statusOf(nginx, { target: '/fine' }), 200);
  assert.equal(await statusOf(nginx, { target: '/fault%20', policy: 'other' }), 200);
  assert.match(nginx.log(), /the engine failed: .*a fault.*stack traceback/s);
});

test('a fault of the prefilter refuses the request, unless the guard only detects', async (t) => {
  const lua = 'package.loaded["guard.engine.target_prefilter"] = function() return function() error("a fault") end end';
  const nginx = await startGuarded(t, { policies, lua });
  assert.equal(await statusOf(nginx, { target: '/clean' }), 500);
  assert.equal(await statusOf(nginx, { target: '/clean', policy: 'other' }), 200);
  assert.match(nginx.log(), /a fault/);
});

test('debug says what the engine made of a request', async (t) => {
  const nginx = await startGuarded(t, { policies });
  await statusOf(nginx, { target: '/static/..%252f.env', policy: 'other' });
  const line =
    'guard: evaluated GET /static/..%252f.env: blocked=true reason=block_pattern_match rule=trav-enc candidate=';
  assert.ok(nginx.log().includes(line), nginx.log());
});

test('a reload under load gives no wrong answer and drops no request', async (t) => {
  const nginx = await startGuarded(t, { policies });
  const wanted = [
    { target: '/clean', status: 200 },
    { target: '/.env', status: 403 },
  ];
  let isOver = false;
  let asked = 0;
  const client = async (): Promise<void> => {
    while (!isOver)
      for (const { target, status } of wanted) {
        assert.equal(await statusOf(nginx, { target }), status, target);
        asked += 1;
      }
  };
  const reloads = async (): Promise<void> => {
    for (let round = 1; round <= 5; round += 1) {
      const before = asked;
      nginx.reload();
      while (asked < before + 200) await turn();
    }
    isOver = true;
  };
  await Promise.all([reloads(), client(), client(), client(), client()]);
  assert.equal(nginx.events().length, asked / wanted.length);
});

test('HTTP/2', async (t) => {
  const h2 = { default: { methods: ['GET', 'POST'], checkBody: true, checkHeaders: ['X-Original-URL'] } };
  const { http2Port, events } = await startGuarded(t, { policies: h2 });
  const status = (headers: Record<string, string>, body?: string) => statusOverHttp2(http2Port, headers, body);
  assert.equal(await status({ ':path': '/clean' }), 200);
  assert.equal(await status({ ':path': '/.env', ':authority': 'example.org' }), 403);
  assert.equal(await status({ ':path': '/', 'x-original-url': '/.env' }), 403);
  const post = { ':method': 'POST', ':path': '/', 'content-type': 'application/x-www-form-urlencoded' };
  const attack = 'x=../../../etc/passwd';
  assert.equal(await status({ ...post, 'content-length': String(attack.length) }, attack), 403);
  assert.equal(await status(post, attack), 403);
  assert.equal(await status(post, 'x=1'), 200);
  assert.deepEqual([events().length, events()[0]?.host], [4, 'example.org']);
});

test('events go to the standard output of nginx where there is no file', async (t) => {
  const nginx = await startGuarded(t, { policies: { default: { securityLogFile: undefined } } });
  await exchangeBytes(nginx.port, bytesOf({ target: '/.env', headers: [['User-Agent', 'a"\\\x7f']] }));
  const line = nginx
    .log()
    .split('\n')
    .find((text) => text.startsWith('{'));
  assert.equal(JSON.parse(line ?? '{}').user_agent, 'a"\\%7F');
});

test('an event that cannot be written stops no request', async (t) => {
  const nginx = await startGuarded(t, { policies: { default: { securityLogFile: '/' } } });
  assert.equal(await statusOf(nginx, { target: '/.env' }), 403);
  assert.match(nginx.log(), /a security event cannot be written: \/: Is a directory/);
});

const isSummary = ({ type }: Record<string, string>): boolean => type === 'guard_block_summary';
const countOf = (nginx: Guarded): number =>
  nginx.events().reduce((sum, event) => sum + (isSummary(event) ? Number(event.count) : 1), 0);

/** Sends blocked requests until nginx suppresses some of their events. Returns the number of sent requests. */
async function flood(nginx: Guarded): Promise<number> {
  const bytes = `${bytesOf({ target: '/.env' }, false).repeat(999)}${bytesOf({ target: '/.env' })}`;
  let sent = 0;
  // A busy machine may send fewer requests in a second than the limit of event lines.
  await until(async () => {
    await Promise.all(Array.from({ length: 3 }, () => exchangeBytes(nginx.port, bytes)));
    sent += 3000;
    return nginx.events().length < sent;
  }, 'a suppressed event');
  return sent;
}

test('a flood of events is counted', async (t) => {
  const nginx = await startGuarded(t, { policies });
  const sent = await flood(nginx);
  await until(() => countOf(nginx) >= sent, 'all events');
  assert.equal(countOf(nginx), sent);
  assert.ok(nginx.events().some(isSummary));
});

/**
 * Lua code that stops the clock, so that all requests are in the same second. Counts in the shared dictionary then stay
 * for ever: a busy machine sends them in more seconds than the counts stay otherwise.
 */
const stopped = `
  ngx.now = function() return 1000000000 end
  ngx.timer.at = function() return true end
  local methods = getmetatable(ngx.shared.guard).__index
  local safe_add = methods.safe_add
  methods.safe_add = function(dictionary, key, value) return safe_add(dictionary, key, value) end`;
const workerPlace = 'location /worker { return 200 "<$pid>"; }';
const trusting = { default: { trustedProxies: ['127.0.0.1'] } };

/** Sends blocked requests until both workers have received them. */
async function toBothWorkers(nginx: Guarded, clients: readonly string[]): Promise<void> {
  const requests = clients.map((client) => bytesOf({ target: '/.env', headers: [['X-Forwarded-For', client]] }, false));
  const bytes = `${requests.join('')}${bytesOf({ target: '/worker' })}`;
  const workers = new Set<string | undefined>();
  await until(async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchangeBytes(nginx.port, bytes)));
    for (const answer of answers) workers.add(/<(\d+)>/.exec(answer)?.[1]);
    return workers.size === 2;
  }, 'requests in both workers');
  assert.equal(workers.has(undefined), false);
}

test('all workers together write as many events as the budget has', async (t) => {
  const most = 5;
  const lua = `require("guard.tables").limits.events_per_second = ${most} ${stopped}`;
  const nginx = await startGuarded(t, { policies: trusting, lua, server: workerPlace, workers: 2 });
  const clients = Array.from({ length: most + 1 }, (_, index) => `192.0.2.${index}`);
  await toBothWorkers(nginx, clients);
  assert.equal(nginx.events().length, most);
});

test('all workers together share the budget among clients', async (t) => {
  const nginx = await startGuarded(t, { policies: trusting, lua: stopped, server: workerPlace, workers: 2 });
  const ofClient = (client: string): number => nginx.events().filter(({ client_ip }) => client_ip === client).length;
  const { eventsPerSecond, eventsForNewClients } = limits;
  const flood = Array<string>(600).fill('192.0.2.1');
  await toBothWorkers(nginx, flood);
  await toBothWorkers(nginx, flood);
  assert.ok(
    ofClient('192.0.2.1') < eventsPerSecond - eventsForNewClients,
    `${ofClient('192.0.2.1')} events of the flood`,
  );
  const probes = Array<string>(5).fill('192.0.2.2');
  await toBothWorkers(nginx, probes);
  assert.ok(ofClient('192.0.2.2') >= 40, `${ofClient('192.0.2.2')} events of the other client`);
});

test('the summary names the clients of a flood', async (t) => {
  const nginx = await startGuarded(t, { policies });
  const sent = await flood(nginx);
  await until(() => countOf(nginx) >= sent, 'all events');
  const [summary] = nginx.events().filter(isSummary) as unknown as {
    count: number;
    clients: object[];
    others: number;
  }[];
  assert.deepEqual(summary?.clients, [{ client: '127.0.0.1', count: summary?.count }]);
  assert.equal(summary?.others, 0);
});

test('the workers rename an event file that has reached its bound once', async (t) => {
  const lua = 'require("guard.tables").limits.event_file_bytes = 100000';
  const nginx = await startGuarded(t, { policies, lua, workers: 2 });
  await until(async () => {
    await flood(nginx);
    return existsSync(join(nginx.folder, 'events.jsonl.old'));
  }, 'the renamed file');
  assert.deepEqual(
    readdirSync(nginx.folder).filter((name) => name.startsWith('events')),
    ['events.jsonl', 'events.jsonl.old'],
  );
  assert.ok(statSync(join(nginx.folder, 'events.jsonl.old')).size >= 100_000);
  assert.doesNotMatch(nginx.log(), /cannot be written/);
});

// nginx refuses a timer in an exiting worker, or with too many timers.
test('a flood of events is counted where nginx refuses the timer of the summary', async (t) => {
  const lua = 'ngx.timer.at = function() return nil, "process exiting" end';
  const nginx = await startGuarded(t, { policies, lua });
  let sent = await flood(nginx);
  await until(async () => {
    await statusOf(nginx, { target: '/.env' });
    sent += 1;
    return countOf(nginx) >= sent;
  }, 'all events');
  assert.equal(countOf(nginx), sent);
  const reports = nginx.log().split('process exiting').length - 1;
  assert.ok(reports > 0 && reports <= nginx.events().filter(isSummary).length, `${reports} reports`);
});

test('a flood of events is counted while the disk is full', async (t) => {
  const lua = `
    require("guard.tables").limits.events_per_second = 1
    ngx.timer.at = function(_, summarize) summarize() return true end`;
  const nginx = await startGuarded(t, { policies, lua });
  const file = join(nginx.folder, 'events.jsonl');
  symlinkSync('/dev/full', file);
  const bytes = `${bytesOf({ target: '/.env' }, false).repeat(29)}${bytesOf({ target: '/.env' })}`;
  await exchangeBytes(nginx.port, bytes);
  rmSync(file);
  await until(async () => {
    await statusOf(nginx, { target: '/.env' });
    return nginx.events().some(({ type, count }) => type === 'guard_block_summary' && Number(count) > 1);
  }, 'the summary');
});
