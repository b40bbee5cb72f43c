import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, type Message, startGuarded, statusOf } from './guarded.ts';
import { exchangeBytes } from './respond/wire.ts';

const lookup = '${jndi:ldap://192.0.2.1/a}';
const policies = {
  default: { checkHeaders: ['X-Original-URL'] },
  shop: { rules: [{ id: 'shop', action: 'block', pattern: '^/shop$' }] },
  exploits: { exploits: 'all' },
};
/** Prints how many of nine texts a cache of three keeps, and what it keeps of a text that is too long. */
const server = `location = /kept { content_by_lua_block {
  local cache = require("guard.cache")
  local kept, count = cache.new(3, 4), 0
  for i = 1, 9 do cache.keep(kept, "a" .. i, true) end
  for i = 1, 9 do count = count + (cache.recall(kept, "a" .. i) and 1 or 0) end
  cache.keep(kept, "aaaaa", true)
  ngx.print(count, " ", cache.recall(kept, "aaaaa"))
} }`;
/** More than the cache of a guard has room for. */
const manyTargets = 600;

const agent = (value: string): Message => ({ policy: 'exploits', headers: [['User-Agent', value]] });

test('a request passes for what it is, not for a former one with a part of it', async (t) => {
  const nginx = await startGuarded(t, { policies, server });
  const steps: readonly (readonly [string, number, Message])[] = [
    ['clean', 200, { target: '/shop' }],
    ['known, of a policy that blocks it', 403, { target: '/shop', policy: 'shop' }],
    ['known, with a hostile header', 403, { target: '/shop', headers: [['X-Original-URL', '/.env']] }],
    ['known', 200, { target: '/shop' }],
    ['of a rule for another method', 200, { target: '/8021xsupport.html', policy: 'exploits' }],
    ['the same by that method', 403, { method: 'POST', target: '/8021xsupport.html', policy: 'exploits' }],
    ['clean agent', 200, agent('curl/8.14')],
    ['known agent', 200, agent('curl/8.14')],
    ['hostile agent', 403, agent(lookup)],
    ['hostile agent, again', 403, agent(lookup)],
    ['hostile agent behind a known one', 403, agent(`curl/8.14${lookup}`)],
    ['long hostile agent', 403, agent(`${'a'.repeat(300)}${lookup}`)],
    ['long clean agent', 200, agent('a'.repeat(300))],
  ];
  for (const [name, status, message] of steps) assert.equal(await statusOf(nginx, message), status, name);
  for (let index = 0; index < manyTargets; index += 1)
    assert.equal(await statusOf(nginx, { target: `/products/${index}` }), 200);
  assert.equal(await statusOf(nginx, { target: '/.env' }), 403);
  assert.equal(await statusOf(nginx, { target: '/shop' }), 200);
  assert.equal(await statusOf(nginx, { target: '/shop', policy: 'shop' }), 403);
  assert.match(await exchangeBytes(nginx.port, bytesOf({ target: '/kept' })), /\r\n3 nil\r\n/);
});
