import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flood, policies } from '../../proxies/held-flood.ts';
import { bytesOf, startGuarded } from './guarded.ts';
import { exchangeBytes } from './respond/wire.ts';

const locationOf = (name: string): string =>
  `location /${name}/ { rewrite_by_lua_block { require("guard").check("${name}") } return 200 "fine"; }`;

test('nginx', async (t) => {
  const byName = policies();
  const { port, quit } = await startGuarded(t, {
    policies: { default: {}, ...byName },
    server: Object.keys(byName).map(locationOf).join('\n'),
  });
  await flood(t, port, quit);
});

test('bombs keep to the rate that they share with streams', async (t) => {
  const bomb = { mode: 'gzip_bomb', gzipBombMb: 1024, maxResponseSeconds: 1 };
  const { port } = await startGuarded(t, {
    policies: { default: { response: bomb } },
    lua: 'require("guard.tables").limits.stream_bytes_per_second = 1',
  });
  const lengths = await Promise.all(
    [1, 2].map(async () => (await exchangeBytes(port, bytesOf({ target: '/.env' }))).length),
  );
  assert.ok(Math.max(...lengths) > 0 && lengths.reduce((sum, length) => sum + length) < 64 * 1024, String(lengths));
});
