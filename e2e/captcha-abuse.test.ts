/** Abuse of captchas in the real Caddy and Traefik. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { generateCaddy } from '../cli/generate/caddy.ts';
import { Policy } from '../contract/policy/schema.ts';
import { until } from '../platform/until.ts';
import { startCaddy } from './caddy-process.ts';
import { attack, policies } from './captcha-abuse.ts';
import { startProvider } from './captcha-provider.ts';
import { ask } from './captcha-visitor.ts';
import { freePort } from './support.ts';
import { guarded, startTraefik } from './traefik-process.ts';

/** The guard of each policy for its paths. */
function siteOf(port: number, byName: object): string {
  const guards = Object.entries(byName).map(([name, policy]) => {
    const block = /^guard \{[\s\S]*?^\}$/m.exec(generateCaddy(Policy.parse(policy)).text)?.[0] ?? '';
    const solutions = name === 'weak' ? '/.guard/captcha' : '';
    return `@${name} path /${name}/* ${solutions}\n${block.replace('guard {', `guard @${name} {`)}`;
  });
  return `http://:${port} {\nroute {\n${guards.join('\n')}\nrespond "fine"\n}\n}\n`;
}

test('Caddy', async (t) => {
  const provider = await startProvider(t);
  const { port } = await startCaddy(t, { site: (port) => siteOf(port, policies(provider)) });
  await attack(t, { port, provider });
});

test('Traefik', async (t) => {
  const provider = await startProvider(t);
  const backend = createServer((_, answer) => answer.end('fine')).listen(0, '127.0.0.1');
  t.after(() => backend.close());
  await once(backend, 'listening');
  const byName = policies(provider);
  const { http } = guarded(`http://127.0.0.1:${(backend.address() as AddressInfo).port}`, byName) as { http: object };
  const routers = Object.keys(byName).map((name) => {
    const solutions = name === 'weak' ? ' || Path(`/.guard/captcha`)' : '';
    return [name, { rule: `PathPrefix(\`/${name}/\`)${solutions}`, service: 'backend', middlewares: [name] }];
  });
  const port = await freePort();
  // Traefik removes X-Forwarded-For where it does not trust the peer.
  const trusting = { address: `127.0.0.1:${port}`, forwardedHeaders: { insecure: true } };
  await startTraefik(t, { http: { ...http, routers: Object.fromEntries(routers) } }, { entryPoints: { trusting } });
  await until(
    () =>
      ask(port, '/weak/').then(
        ({ body }) => body === 'fine',
        () => false,
      ),
    'Traefik to serve',
  );
  await attack(t, { port, provider });
});
