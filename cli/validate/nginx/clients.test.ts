import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateNginx } from './validate.ts';

const good = 'rewrite_by_lua_no_postpone on; lua_regex_match_limit 100000; large_client_header_buffers 4 32k;';
const hook = 'rewrite_by_lua_block { require("guard").check() }';

/** Returns the findings in an http block with these trusted proxies, as `level kind path`. */
function found(trusted: readonly string[], ...parts: readonly string[]): string[] {
  const list = trusted.map((entry) => `"${entry}"`).join(', ');
  const init = `init_by_lua_block { require("guard").init({ trusted_proxies = { ${list} } }) }`;
  const { problems, warnings } = validateNginx(`http {\n${[good, init, hook, ...parts].join('\n')}\n}`);
  const rows = { problem: problems, warning: warnings };
  return Object.entries(rows).flatMap(([level, list]) => list.map(({ kind, path }) => `${level} ${kind} ${path}`));
}

const server = (...listeners: readonly string[]): string =>
  `server { ${listeners.map((listener) => `listen ${listener};`).join(' ')} location / { root /srv; } }`;
const realIp = 'set_real_ip_from 10.0.0.0/8; real_ip_header proxy_protocol;';
const balancer = ['10.0.0.0/8'];

const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['a PROXY header', found([], realIp, server('443 ssl proxy_protocol')), []],
  ['a PROXY header, without the realip module', found([], server('80 proxy_protocol')), []],
  ['X-Forwarded-For of an HTTP proxy', found(balancer, 'real_ip_header X-Forwarded-For;', server('80')), []],
  ['an HTTP proxy before the balancer', found(['203.0.113.0/24'], realIp, server('443 proxy_protocol')), []],
  ['one balancer that also checks health', found(['10.0.0.1'], realIp, server('443 proxy_protocol')), []],
  [
    'a local listener without it',
    found(balancer, server('443 proxy_protocol'), server('127.0.0.1:80', '[::1]:80')),
    [],
  ],
  ['the setting of an address in another server', found(balancer, server('80 proxy_protocol'), server('*:80')), []],
  ['no trusted proxy, and mixed listeners', found([], realIp, server('80', '81 proxy_protocol')), []],
  ['no listener has it', found([], realIp, server('443 ssl')), ['warning no_proxy_header real_ip_header']],
  [
    'no listener has it, and X-Forwarded-For of the balancer is trusted',
    found(balancer, `server { listen 443 ssl; ${realIp} }`),
    ['problem no_proxy_header real_ip_header'],
  ],
  ['mixed listeners', found(['10.0.0.1'], server('80', '81 proxy_protocol')), ['warning mixed_listeners listen 80']],
  [
    'mixed listeners of two servers',
    found(['10.0.0.1'], server('[::]:80'), server('[::]:81 proxy_protocol')),
    ['warning mixed_listeners listen [::]:80'],
  ],
  [
    'the network of the balancer is trusted',
    found(['192.0.2.1', '10.1.0.0/16'], realIp, server('443 proxy_protocol')),
    ['warning trusted_clients set_real_ip_from'],
  ],
  ['everyone is trusted', found(['0.0.0.0/0'], server('80')), ['problem trusted_everyone trusted_proxies']],
  ['everyone with IPv6 is trusted', found(['::/0'], server('80')), ['problem trusted_everyone trusted_proxies']],
];

describe('the client address in an nginx configuration', () => {
  for (const [name, findings, expected] of cases) it(name, () => assert.deepEqual(findings, expected));
});
