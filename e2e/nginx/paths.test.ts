/** The problems that `validate --nginx` reports about changed paths are bypasses in the real nginx, and so are some of its warnings. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { validateNginx } from '../../cli/validate/nginx/validate.ts';
import { packageRoot } from '../../platform/assets.ts';
import { exchange, headEcho } from '../support/raw-exchange.ts';
import { nginxFolder, runNginx, startNginx, withoutNginx } from './process.ts';

const secret = 'a secret of the site';
const files = ['.git/config', 'backup.sql', 'a.sql', 'id_rsa', 'pages/index.html'];

interface Row {
  readonly name: string;
  /**
   * Directives of the server block. `ROOT` is replaced by a folder with secrets, `BACKEND` by the URL of a server that
   * returns the received request.
   */
  readonly server: string;
  readonly target: string;
  readonly headers?: string;
  readonly gets: string;
  readonly kinds: readonly string[];
}

const changed = ['path_changed'];
const rewritten = ['path_rewritten'];
const gitLine = 'GET /.git/config HTTP/1.';

/** Requests that the guard allows although they reach a secret. */
const bypasses: readonly Row[] = [
  { name: 'alias', server: 'location /x { alias ROOT/; }', target: '/x.git/config', gets: secret, kinds: changed },
  {
    name: 'alias-strong',
    server: 'location ^~ /x { alias ROOT/; }',
    target: '/x.git/config',
    gets: secret,
    kinds: changed,
  },
  {
    ...{ name: 'alias-pattern', server: 'location ~ ^/x(.*)$ { alias ROOT/$1; }', target: '/x.git/config' },
    ...{ gets: secret, kinds: rewritten },
  },
  {
    ...{ name: 'alias-nested', server: 'location /a/ { location /a/x { alias ROOT/; } }', target: '/a/x.git/config' },
    ...{ gets: secret, kinds: changed },
  },
  {
    name: 'proxy',
    server: 'location /x { proxy_pass BACKEND:/; }',
    target: '/x.git/config',
    gets: gitLine,
    kinds: changed,
  },
  {
    ...{ name: 'proxy-below', server: 'location /x { proxy_pass BACKEND:/app/; }', target: '/x.git/config' },
    ...{ gets: 'GET /app/.git/config HTTP/1.', kinds: changed },
  },
  {
    ...{
      name: 'proxy-pattern',
      server: 'location ~ ^/x([\\w./-]*)$ { proxy_pass BACKEND:/$1; }',
      target: '/x.git/config',
    },
    ...{ gets: gitLine, kinds: rewritten },
  },
  {
    name: 'rewrite',
    server: 'root ROOT; rewrite ^/x(.*)$ /$1 last;',
    target: '/x.git/config',
    gets: secret,
    kinds: rewritten,
  },
  {
    ...{ name: 'rewrite-optional', server: 'root ROOT; rewrite ^/api/?(.*)$ /$1;', target: '/api.git/config' },
    ...{ gets: secret, kinds: rewritten },
  },
  {
    ...{
      name: 'rewrite-proxy',
      server: 'location /x { rewrite ^/x(.*)$ /$1 break; proxy_pass BACKEND; }',
      target: '/x.git/config',
    },
    ...{ gets: gitLine, kinds: rewritten },
  },
  {
    ...{ name: 'rewrite-ending', server: 'root ROOT; rewrite ^/(.*)\\.html$ /$1 last;', target: '/backup.sql.html' },
    ...{ gets: secret, kinds: rewritten },
  },
  {
    ...{ name: 'rewrite-joined', server: 'root ROOT; rewrite ^/f/([a-z]+)/([a-z]+)$ /$1.$2 last;', target: '/f/a/sql' },
    ...{ gets: secret, kinds: rewritten },
  },
  {
    ...{ name: 'rewrite-if', server: 'root ROOT; if ($host) { rewrite ^/x(.*)$ /$1 last; }', target: '/x.git/config' },
    ...{ gets: secret, kinds: rewritten },
  },
  {
    ...{ name: 'rewrite-map', server: 'root ROOT; location /x { rewrite ^ $of_map break; }', target: '/x.git/config' },
    ...{ gets: secret, kinds: rewritten },
  },
  {
    ...{ name: 'tried', server: 'root ROOT; location ~ ^/x(.*)$ { try_files /$1 =404; }', target: '/x.git/config' },
    ...{ gets: secret, kinds: rewritten },
  },
  {
    ...{ name: 'tried-argument', server: 'root ROOT; location / { try_files /$arg_f =404; }', target: '/?f=id_rsa' },
    ...{ gets: secret, kinds: ['path_from_request'] },
  },
  {
    ...{
      name: 'root-cookie',
      server: 'location / { root ROOT/$cookie_t; }',
      target: '/config',
      headers: 'Cookie: t=.git\r\n',
    },
    ...{ gets: secret, kinds: ['path_from_request'] },
  },
  {
    ...{ name: 'proxy-header', server: 'location / { proxy_pass BACKEND:/$http_x_path; }', target: '/' },
    ...{ headers: 'X-Path: .git/config\r\n', gets: gitLine, kinds: ['path_from_request'] },
  },
  {
    ...{
      name: 'decoded',
      server: 'location / { proxy_pass BACKEND:$uri; }',
      target: '/a%20HTTP/1.1%0d%0aX-Forged%20:%20b%0d%0aX-End%20:',
    },
    ...{ gets: '\r\nX-Forged : b\r\n', kinds: ['path_decoded'] },
  },
  {
    ...{ name: 'decoded-group', server: 'location ~ ^/u/([^/]*) { proxy_pass BACKEND:/v/$1; }' },
    ...{ target: '/u/a%0d%0aX-Forged%20:%20b%0d%0aX-End%20:', gets: '\r\nX-Forged : b\r\n', kinds: rewritten },
  },
  {
    ...{ name: 'alias-variable', server: 'location /x { set $e ""; alias ROOT/$e/; }', target: '/x.git/config' },
    ...{ gets: secret, kinds: changed },
  },
  {
    ...{ name: 'rewrite-bare', server: 'location /x { rewrite ^/x(.*)$ $1 break; proxy_pass BACKEND; }' },
    ...{ target: '/x.git/config', gets: 'GET .git/config HTTP/1.', kinds: rewritten },
  },
  {
    ...{
      name: 'named',
      server: 'location / { try_files /none @app; } location @app { rewrite ^/x(.*)$ /$1 break; root ROOT; }',
    },
    ...{ target: '/x.git/config', gets: secret, kinds: rewritten },
  },
  {
    ...{ name: 'error-page', server: 'root ROOT; location ~ ^/x(.*)$ { error_page 404 =200 /$1; return 404; }' },
    ...{ target: '/x.git/config', gets: secret, kinds: rewritten },
  },
  {
    ...{ name: 'decoded-query', server: 'location / { proxy_pass BACKEND:/show?path=$uri; }' },
    ...{
      target: '/a%20HTTP/1.1%0d%0aX-Forged%20:%20b%0d%0aX-End%20:',
      gets: '\r\nX-Forged : b\r\n',
      kinds: ['path_decoded'],
    },
  },
  {
    ...{ name: 'host', server: 'location ~ ^/x([\\w.:/-]*)$ { proxy_pass http://unix$1; }' },
    ...{ target: '/x:FOLDER/backend.sock:/chosen', gets: 'GET /chosen HTTP/1.', kinds: rewritten },
  },
];

/** Requests that the guard blocks, to servers without a problem. */
const honest: readonly (readonly [name: string, server: string, target: string])[] = [
  ['ok-alias', 'location /x/ { alias ROOT/; }', '/x/.git/config'],
  ['ok-alias-bare', 'location /x { alias ROOT; }', '/x/.git/config'],
  ['ok-alias-pattern', 'location ~ ^/x/(.*)$ { alias ROOT/$1; }', '/x/.git/config'],
  ['ok-alias-exact', 'location = /x { alias ROOT/pages/index.html; }', '/x/.env'],
  ['ok-proxy', 'location /x { proxy_pass BACKEND; }', '/x/.env'],
  ['ok-proxy-uri', 'location /x/ { proxy_pass BACKEND:/; }', '/x/.env'],
  ['ok-rewrite', 'location /api/ { rewrite ^/api/?(.*)$ /$1 break; proxy_pass BACKEND; }', '/api/.git/config'],
  [
    'ok-raw',
    'location / { rewrite ^ $request_uri; rewrite ^/x/(.*) /$1 break; proxy_pass BACKEND:$uri; }',
    '/x/%2egit/config',
  ],
  ['ok-raw-if', 'location / { if ($request_uri ~ ^/x/(.*)$) { proxy_pass BACKEND:/$1; } }', '/x/.git/config'],
  ['ok-slashes', 'merge_slashes off; location /x/ { alias ROOT/; }', '/x//.git//config'],
  ['ok-redirect', 'root ROOT; location / { rewrite ^/x(.*)$ /$1 permanent; }', '/x/.env'],
];

const http = (folder: string): string =>
  `
lua_package_path "${packageRoot}/module/lua/?.lua;${packageRoot}/module/lua/?/init.lua;;";
rewrite_by_lua_no_postpone on;
lua_regex_match_limit 100000;
large_client_header_buffers 4 32k;
init_by_lua_block { require("guard").init({ security_log = false }) }
rewrite_by_lua_block { require("guard").check() }
map $uri $of_map { ~^/x(.*)$ /$1; default /none; }
include servers/*.conf;
`.replaceAll('FOLDER', folder);

test('paths that nginx changes are named, and reach the backend past the guard', { skip: withoutNginx }, async (t) => {
  const secrets = files.map((name) => [`srv/${name}`, secret]);
  const { folder } = nginxFolder({ http: '', files: Object.fromEntries(secrets) });
  const inFolder = (text: string): string =>
    text
      .replaceAll('ROOT', `${folder}/srv`)
      .replaceAll('BACKEND', `http://unix:${folder}/backend.sock`)
      .replaceAll('FOLDER', folder);
  const rows = [
    ...bypasses.map(({ name, server }) => [name, server] as const),
    ...honest.map(([name, server]) => [name, server] as const),
  ];
  const servers = rows.map(([name, server]) => [
    `servers/${name}.conf`,
    `server { listen unix:${folder}/${name}.sock; server_name ${name}; ${inFolder(server)} }\n`,
  ]);
  const placed = nginxFolder({ http: http(folder), files: Object.fromEntries(servers) });
  const { problems, warnings } = validateNginx(runNginx(placed, '-T').output);
  await headEcho(t, join(folder, 'backend.sock'));
  await startNginx(t, placed);
  const kindsOf = (server: string) =>
    [...problems, ...warnings].filter(({ path }) => path.split(' ').at(-1) === server).map(({ kind }) => kind);
  const send = (server: string, target: string, headers = '') =>
    exchange(
      join(folder, `${server}.sock`),
      `GET ${inFolder(target)} HTTP/1.1\r\nHost: ${server}\r\n${headers}Connection: close\r\n\r\n`,
    );
  for (const { name, target, headers, gets, kinds } of bypasses) {
    await t.test(`${name}: bypass`, async () => {
      const answer = await send(name, target, headers);
      assert.ok(answer.startsWith('HTTP/1.1 200 ') && answer.includes(gets), answer);
      assert.deepEqual(kindsOf(name), kinds);
    });
  }
  for (const [name, , target] of honest)
    await t.test(`${name}: no bypass`, async () => {
      assert.match(await send(name, target), /^HTTP\/1\.1 403 /);
      assert.deepEqual(new Set(kindsOf(name)).difference(new Set(rewritten)), new Set());
    });
});
