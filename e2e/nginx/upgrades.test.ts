import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askOverH2c, checkStreams, checkUpgrades, startH2c } from '../support/h2c.ts';
import { startGuarded } from './lua/guarded.ts';
import { withoutNginx } from './process.ts';

const map = 'map $http_upgrade $connection_upgrade { default upgrade; "" close; }';

/** Directives for WebSockets, as in the documentation of nginx and in configurations. */
const relays: Readonly<Record<string, readonly [server: string, location: string]>> = {
  'a constant Connection': ['', 'proxy_set_header Connection "upgrade"; proxy_set_header Upgrade $http_upgrade;'],
  'a map': ['', 'proxy_set_header Connection $connection_upgrade; proxy_set_header Upgrade $http_upgrade;'],
  'the header of the client': [
    '',
    'proxy_set_header Connection $http_connection; proxy_set_header Upgrade $http_upgrade;',
  ],
};

/**
 * nginx reads the variable before the guard runs, and keeps its value. The backend then receives the protocol, but nginx
 * does not switch: the response times out.
 */
const earlyRelays: typeof relays = {
  'a condition on the header': [
    'if ($http_upgrade = h2c) { set $x 1; }',
    'proxy_set_header Connection "upgrade"; proxy_set_header Upgrade $http_upgrade;',
  ],
  'a condition on the map': [
    'if ($connection_upgrade = x) { return 400; }',
    'proxy_set_header Connection $connection_upgrade; proxy_set_header Upgrade $http_upgrade;',
  ],
  'a copy of the header': [
    'set $protocol $http_upgrade;',
    'proxy_set_header Connection "upgrade"; proxy_set_header Upgrade $protocol;',
  ],
};

async function start(t: Parameters<typeof startH2c>[0], name: string, policy: object = {}) {
  const backend = await startH2c(t);
  const [server = '', location = ''] = { ...relays, ...earlyRelays }[name] ?? [];
  const nginx = await startGuarded(t, {
    policies: { default: policy },
    http: `${map} lua_shared_dict guard_metrics 1m;`,
    server: `${server} location ~ ^/(?:ok|\\.env) { proxy_pass http://127.0.0.1:${backend.port}; proxy_http_version 1.1; proxy_read_timeout 1s; ${location} }
      location = /metrics { content_by_lua_block { require("guard.metrics").print() } }`,
  });
  return { backend, nginx };
}

for (const name of Object.keys(relays))
  test(`upgrades through nginx with ${name}`, { skip: withoutNginx }, async (t) => {
    const { backend, nginx } = await start(t, name);
    await checkUpgrades(t, nginx.port, backend);
    const notes = nginx.log().match(/guard: the protocol \S+ was removed from a request/g);
    assert.equal(notes?.length, 1);
    const metrics = await (await fetch(`http://127.0.0.1:${nginx.port}/metrics`)).text();
    assert.match(metrics, /^nginx_guard_upgrades_removed_total\{mode="enforce"\} 11$/m);
    assert.deepEqual(nginx.events(), []);
  });

for (const name of Object.keys(earlyRelays))
  test(`no tunnel through nginx with ${name} before the guard`, { skip: withoutNginx }, async (t) => {
    const { backend, nginx } = await start(t, name);
    assert.equal(await askOverH2c(t, nginx.port), undefined);
    assert.deepEqual(backend.streams, []);
  });

const passing = {
  'an entry': { allowUpgrades: ['h2c'] },
  'mode detect': { mode: 'detect' },
  'a guard that is off': { enabled: false },
  'an allowed address': { allowedIps: ['127.0.0.1'] },
};

for (const [name, policy] of Object.entries(passing))
  test(`h2c passes through nginx with ${name}`, { skip: withoutNginx }, async (t) => {
    const { backend, nginx } = await start(t, 'a map', policy);
    await checkStreams(t, nginx.port, backend);
  });
