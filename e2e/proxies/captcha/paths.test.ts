/** Guards of some paths that also handle the form of the captcha page. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { generateCaddy } from '../../../cli/generate/caddy.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { until } from '../../../platform/testing/until.ts';
import { blockWith } from '../../../scripts/pages/blocks.ts';
import { startCaddy } from '../../caddy/process.ts';
import { listen } from '../../support/listen.ts';
import { routeWithGuards, startTraefik } from '../../traefik/process.ts';
import { type CaptchaProvider, startProvider } from './provider.ts';
import { answerPage, ask } from './visitor.ts';

const block = (language: string): string => blockWith('docs/captcha.md', language, '/.guard/captcha');

async function startBackend(t: TestContext): Promise<number> {
  const server = createServer((_, response) => response.end('backend'));
  return listen(t, server);
}

const policyFor = (provider: CaptchaProvider) => ({
  secret: 'a secret of the tests',
  blockPatterns: ['two$'],
  response: {
    mode: 'captcha',
    captcha: {
      ...{ provider: 'turnstile', siteKey: 'k', secretKey: provider.secretKey },
      verifyUrl: `http://127.0.0.1:${provider.port}${provider.verifyPath}`,
    },
  },
});

/** Solves the captcha below /admin, and requests the same path outside of it. */
async function visit(port: number, provider: CaptchaProvider): Promise<void> {
  const host = `127.0.0.1:${port}`;
  const page = await ask(port, '/admin/two', { host });
  const { status, location, cookie = '' } = await answerPage(port, page, provider.solve('127.0.0.1'), { host });
  assert.deepEqual([page.status, status, location], [403, 303, '/admin/two']);
  assert.equal((await ask(port, '/admin/two', { host, cookie })).body, 'backend');
  assert.equal((await ask(port, '/two', { host })).body, 'backend');
}

test('Caddy', async (t) => {
  const [provider, backend] = [await startProvider(t), await startBackend(t)];
  const [, keys = ''] = /^guard \{\n([\s\S]*)^\}$/m.exec(generateCaddy(Policy.parse(policyFor(provider)))) ?? [];
  const site = (port: number): string =>
    block('caddyfile')
      .replace('example.com', `http://127.0.0.1:${port}`)
      .replace('10.0.0.5:8080', `127.0.0.1:${backend}`);
  const { port } = await startCaddy(t, { site: (port) => `(guard-policy) {\n${keys}}\n${site(port)}` });
  await visit(port, provider);
});

test('Traefik', async (t) => {
  const [provider, backend] = [await startProvider(t), await startBackend(t)];
  const { http } = routeWithGuards(`http://127.0.0.1:${backend}`, { guard: policyFor(provider) }) as { http: object };
  const { admin } = parse(block('yaml').replace('example.com', '127.0.0.1')).http.routers;
  const routers = {
    admin: { ...admin, service: 'backend' },
    others: { rule: 'PathPrefix(`/`)', service: 'backend' },
  };
  const { port } = await startTraefik(t, { http: { ...http, routers } });
  const serves = (): Promise<boolean> =>
    ask(port, '/').then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(serves, 'Traefik to serve');
  await visit(port, provider);
});
