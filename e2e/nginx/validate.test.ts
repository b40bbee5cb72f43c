/** Compares the findings of `validate --nginx` with the real nginx. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { validateNginx } from '../../cli/validate/nginx/validate.ts';
import { packageRoot } from '../../platform/assets.ts';
import { exchange } from '../support/raw-exchange.ts';
import { nginxFolder, runNginx, startNginx, withoutNginx } from './process.ts';

const check = 'rewrite_by_lua_block { require("guard").check() }';
const served = 'location / { root /; }';

/** Name and content of a server, and whether the guard inspects the request. */
const servers: readonly (readonly [string, string, boolean])[] = [
  ['inherits', served, true],
  ['calls', `${check} ${served}`, true],
  ['own-hook', `rewrite_by_lua_block { ngx.ctx.a = "}" } ${served}`, false],
  ['hook-with-call', `rewrite_by_lua_block { local guard = require("guard") guard.check() } ${served}`, true],
  ['hook-in-location', `location / { rewrite_by_lua_block { ngx.ctx.a = 1 } root /; }`, false],
  ['hook-in-nested', `location / { location /a { rewrite_by_lua 'ngx.ctx.a = 1'; } root /; }`, false],
  [
    'access-alone',
    `rewrite_by_lua_block { ngx.ctx.a = 1 } access_by_lua_block { require("guard").check() } ${served}`,
    true,
  ],
  ['server-return', 'return 200 "}";', false],
  ['server-rewrite', `rewrite ^ /b permanent; ${served}`, false],
  ['server-rewrite-scheme', `rewrite ^ http://b.example/; ${served}`, false],
  ['server-rewrite-last', `rewrite ^ /b last; ${served}`, true],
  ['server-if', `if ($host) { return 200 x; } ${served}`, false],
  ['location-return', 'location / { return 200 "x"; }', true],
  ['location-rewrite', 'location / { rewrite ^ /b redirect; }', true],
  ['location-if', 'location / { if ($host) { return 200 x; } root /; }', true],
  ['location-satisfy', 'location / { satisfy any; allow all; auth_basic x; root /; }', true],
  ['location-limit', 'location / { limit_except POST { deny all; } root /; }', true],
  ['named-hook', 'location / { try_files /none @b; } location @b { rewrite_by_lua_block { ngx.exit(204) } }', true],
];

const http = (folder: string): string => `
lua_package_path "${packageRoot}/module/lua/?.lua;${packageRoot}/module/lua/?/init.lua;;";
rewrite_by_lua_no_postpone on;
lua_regex_match_limit 100000;
large_client_header_buffers 4 32k;
init_by_lua_block { require("guard").init({ security_log = false }) }
${check}
include servers/*.conf;
server { listen unix:${folder}/last.sock; server_name last; location / { return 204; } }
`;

test('requests that nginx answers without the guard are those that are named', { skip: withoutNginx }, async (t) => {
  const { folder } = nginxFolder({ http: '' });
  const files = servers.map(([name, content]) => {
    return [`servers/${name}.conf`, `server { listen unix:${folder}/${name}.sock; server_name ${name}; ${content} }\n`];
  });
  const placed = nginxFolder({ http: http(folder), files: Object.fromEntries(files) as Record<string, string> });
  const { problems, warnings, summary } = validateNginx(runNginx(placed, '-T').output);
  assert.equal(summary.servers, servers.length + 1);
  await startNginx(t, placed);
  for (const [name, , isSeen] of servers) {
    const answer = await exchange(
      join(folder, `${name}.sock`),
      `GET /a/.env HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`,
    );
    const found = [...problems, ...warnings].filter(({ path }) => path.split(' ').at(-1) === name);
    assert.equal(answer.startsWith('HTTP/1.1 403 '), isSeen, `${name}: ${answer.slice(0, 40)}`);
    if (name !== 'access-alone') assert.equal(found.length === 0, isSeen, `${name}: ${JSON.stringify(found)}`);
  }
});

test('without rewrite_by_lua_no_postpone a location that returns is named, and nginx lets it past', {
  skip: withoutNginx,
}, async (t) => {
  const { folder } = nginxFolder({ http: '' });
  const server = `server { listen unix:${folder}/a.sock; server_name a; location / { return 200 x; } }`;
  const text = http(folder).replace('rewrite_by_lua_no_postpone on;', '').replace('include servers/*.conf;', server);
  const placed = nginxFolder({ http: text });
  const { problems } = validateNginx(runNginx(placed, '-T').output);
  assert.deepEqual(
    problems.map(({ kind, path }) => [kind, path]),
    [
      ['answered_before', 'location / of server a'],
      ['answered_before', 'location / of server last'],
    ],
  );
  await startNginx(t, placed);
  const answer = await exchange(join(folder, 'a.sock'), 'GET /.env HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  assert.match(answer, /^HTTP\/1\.1 200 /);
});
