import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateNginx } from '../validate.ts';
import { honestServers } from './honest.ts';

const head = `
rewrite_by_lua_no_postpone on; lua_regex_match_limit 100000; large_client_header_buffers 4 32k;
init_by_lua_block { require("guard").init({}) }
rewrite_by_lua_block { require("guard").check() }
upstream app { server 127.0.0.1:8080; }
map $http_upgrade $connection_upgrade { default upgrade; '' close; }`;

const findings = (server: string) => {
  const { problems, warnings } = validateNginx(`http {\n${head}\nserver {\n${server}\n}\n}`);
  return [...problems, ...warnings];
};

describe('honest servers change no path past the guard', () => {
  for (const [name, server] of Object.entries(honestServers))
    it(name, () => {
      const found = findings(server).filter(({ kind }) => /^(?:path|host)_/.test(kind));
      assert.deepEqual(found, []);
    });
});

/** The message and the hint of the first finding in a server. e2e/nginx/paths.test.ts compares the kinds with nginx. */
const described: readonly (readonly [server: string, message: string, hint: string])[] = [
  [
    'location /x { alias /srv/; }',
    'alias makes /.git/config of /x.git/config, which the guard does not block',
    'write `location /x/` with `alias /srv/`',
  ],
  [
    'location ^~ /x { proxy_pass http://app/v2/; }',
    'proxy_pass makes /.git/config of /x.git/config, which the guard does not block',
    'write `location ^~ /x/` with `proxy_pass http://app/v2/`',
  ],
  [
    'rewrite ^/(.*)\\.html$ /$1 last;',
    'rewrite makes /backup.sql of /backup.sql.html, which the guard does not block',
    'match whole names: put the group between slashes, as in ^/x/(.*)$, or list what it matches, as in (a|b)\\.html$',
  ],
  [
    'location / { set $app app; proxy_pass http://$app$uri$is_args$args; }',
    'proxy_pass sends a decoded path: %20 and %0a in a request end its target there, and begin new headers',
    'use proxy_pass without a path, or with $request_uri; limit captures to characters such as [\\w/.-]',
  ],
  [
    'location ~ ^/x(.*)$ { proxy_pass http://app$1; }',
    'proxy_pass appends id_rsa of /xid_rsa to the name of the backend, so a client chooses the backend',
    'write a slash before $1',
  ],
  [
    'location / { root /srv/$cookie_theme; }',
    'root takes a path from $cookie_theme, which the guard does not read as a path',
    'take the path from $uri, or list the allowed values in a map',
  ],
];

describe('a path that nginx changes', () => {
  for (const [server, message, hint] of described)
    it(`is named with its line and a fix: ${server}`, () => {
      const [first] = findings(`\n\n${server}`);
      assert.deepEqual([first?.message, first?.hint, first?.line], [message, hint, 11]);
    });

  it('is not looked for in an internal location, or in a pattern that only nginx reads', () => {
    for (const server of ['location /x { internal; alias /srv/; }', 'location ~ ^/(?>x)(.*+)$ { alias /srv/$1; }'])
      assert.deepEqual(findings(server), []);
  });

  it('is looked for in many locations within seconds', () => {
    const many = 'location /x/ { alias /srv/; }\nlocation /y { proxy_pass http://app/; }\n'.repeat(20_000);
    assert.equal(findings(many).length, 100);
  });
});
