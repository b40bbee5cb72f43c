import { test } from 'node:test';
import { policies, runAttacks } from '../../proxies/captcha/abuse.ts';
import { startProvider } from '../../proxies/captcha/provider.ts';
import { startGuarded } from './guarded.ts';

const locationOf = (name: string, path: string): string =>
  `location ${path} { rewrite_by_lua_block { require("guard").check("${name}") } return 200 "fine"; }`;

test('nginx', async (t) => {
  const provider = await startProvider(t);
  const byName = policies(provider);
  const locations = Object.keys(byName).map((name) => locationOf(name, `/${name}/`));
  const { port } = await startGuarded(t, {
    policies: byName,
    server: [...locations, locationOf('weak', '= /.guard/captcha')].join('\n'),
  });
  await runAttacks(t, { port, provider });
});
