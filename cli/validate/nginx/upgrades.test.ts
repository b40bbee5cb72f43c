import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateNginx } from './validate.ts';

const map = 'map $http_upgrade $connection_upgrade { default upgrade; "" close; }';
const second = 'map $connection_upgrade $is_tunnel { upgrade 1; default 0; }';

/** Returns the findings of a server with these directives, as `kind path`. */
function found(...directives: readonly string[]): string[] {
  const settings = 'rewrite_by_lua_no_postpone on; lua_regex_match_limit 100000; large_client_header_buffers 4 32k;';
  const guard = 'init_by_lua_block { require("guard").init({}) } rewrite_by_lua_block { require("guard").check() }';
  const server = `server { listen 80; location / { root /srv; ${directives.join(' ')} } }`;
  const { problems, warnings } = validateNginx(`http { ${settings} ${guard} ${map} ${second} ${server} }`);
  return [...problems, ...warnings].map(({ kind, path }) => `${kind} ${path}`);
}

const early: readonly string[] = [
  'set $protocol $http_upgrade;',
  'set $protocol "x-${http_upgrade}";',
  'if ($http_upgrade = h2c) { set $x 1; }',
  'if ($connection_upgrade = upgrade) { set $x 1; }',
  'set $x $is_tunnel;',
];

for (const directive of early)
  test(`reports ${directive}`, () => {
    assert.deepEqual(found(directive), [`upgrade_read_early ${directive.split(' ')[0]}`]);
  });

test('reports no header for the backend, and no other variable', () => {
  const headers = 'proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;';
  assert.deepEqual(found(headers, 'set $x $http_upgrade_insecure_requests;'), []);
});
