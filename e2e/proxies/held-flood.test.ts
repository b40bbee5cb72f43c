import { once } from 'node:events';
import { test } from 'node:test';
import { flood, policies } from './held-flood.ts';
import { caddySite, traefikSite } from './several-policies.ts';

for (const [name, start] of Object.entries({ Caddy: caddySite, Traefik: traefikSite }))
  test(name, async (t) => {
    const { port, child } = await start(t, { policies: policies() });
    await flood(t, port, async () => {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
    });
  });
