/** Goroutines and callbacks of the standard library in Traefik's interpreter. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { startProvider } from '../proxies/captcha/provider.ts';
import { answerPage, ask } from '../proxies/captcha/visitor.ts';
import { listen } from '../support/listen.ts';
import { routeWithGuards, startTraefik, type Traefik } from './process.ts';

/** An address at which no program listens: allowed requests get 502. */
const backend = 'http://127.0.0.1:1';

const serving = ({ port }: Traefik): Promise<void> =>
  until(
    () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        ({ status }) => status === 502,
        () => false,
      ),
    'Traefik to serve',
  );

test('mode proxy passes on bodies of every length, announced or not', async (t) => {
  const mirror = createServer(async (request, response) => {
    const body = await buffer(request);
    response.end(JSON.stringify([request.headers.host, body.length, body.every((byte) => byte === 0x78)]));
  });
  const host = `127.0.0.1:${await listen(t, mirror)}`;
  const response = { mode: 'proxy', proxyUrl: `http://${host}` };
  const traefik = await startTraefik(
    t,
    routeWithGuards(backend, { guard: { methods: ['*'], checkBody: true, response } }),
  );
  await serving(traefik);
  for (const length of [0, 1, 32_768, 1_000_000])
    for (const isChunked of [false, true]) {
      const body = 'x'.repeat(length);
      const answer = await fetch(`http://127.0.0.1:${traefik.port}/.env`, {
        method: 'POST',
        body: isChunked ? new Blob([body]).stream() : body,
        duplex: 'half',
      });
      assert.deepEqual(await answer.json(), [host, length, true]);
    }
  assert.doesNotMatch(traefik.output(), /panic|background task/);
});

test('mode proxy takes credentials out of requests, and orders out of answers', async (t) => {
  const mirror = createServer((request, response) => {
    response.setHeader('X-Accel-Redirect', '/internal').setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Content-Security-Policy', 'default-src *').end(JSON.stringify(request.headers));
  });
  const response = { mode: 'proxy', proxyUrl: `http://127.0.0.1:${await listen(t, mirror)}` };
  const traefik = await startTraefik(t, routeWithGuards(backend, { guard: { response } }));
  await serving(traefik);
  const headers = { 'X-Api-Key': 'a', X_Api_Key: 'b', 'X-CSRF-Token': 'c', Cookie: 'd', 'X-Own': 'e' };
  const answer = await fetch(`http://127.0.0.1:${traefik.port}/.env`, { headers });
  const received = Object.keys((await answer.json()) as object);
  assert.ok(received.includes('x-own'));
  assert.deepEqual(
    received.filter((name) => /key|csrf|cookie/.test(name)),
    [],
  );
  assert.equal(answer.headers.get('Content-Security-Policy'), 'sandbox');
  assert.equal(answer.headers.get('X-Accel-Redirect') ?? answer.headers.get('Access-Control-Allow-Origin'), null);
});

test('a captcha provider that redirects excuses no visitor', async (t) => {
  const provider = await startProvider(t);
  const captcha = {
    ...{ provider: 'turnstile', siteKey: 'k', secretKey: provider.secretKey },
    verifyUrl: `http://127.0.0.1:${provider.port}${provider.verifyPath}`,
  };
  const policy = { secret: 'a secret of the tests', response: { mode: 'captcha', captcha, maxHeldPerAddress: 1 } };
  const traefik = await startTraefik(t, routeWithGuards(backend, { guard: policy }));
  await serving(traefik);
  const { port } = traefik;
  provider.fail('moved');
  const refused = await answerPage(port, await ask(port, '/.env'), provider.solve());
  assert.deepEqual([refused.status, refused.cookie], [403, undefined]);
  provider.fail();
  assert.equal((await answerPage(port, await ask(port, '/.env'), provider.solve())).status, 303);
});
