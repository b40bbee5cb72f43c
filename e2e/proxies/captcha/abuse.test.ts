import { test } from 'node:test';
import { caddySite, traefikSite } from '../several-policies.ts';
import { policies, runAttacks } from './abuse.ts';
import { startProvider } from './provider.ts';

for (const [name, start] of Object.entries({ Caddy: caddySite, Traefik: traefikSite }))
  test(name, async (t) => {
    const provider = await startProvider(t);
    const { port } = await start(t, { policies: policies(provider), solutions: 'weak' });
    await runAttacks(t, { port, provider });
  });
