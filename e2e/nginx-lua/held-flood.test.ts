/** Many clients at once of a guarded nginx. */
import { test } from 'node:test';
import { flood, policies } from '../held-flood.ts';
import { startGuarded } from './guarded.ts';

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
