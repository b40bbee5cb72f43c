/** HTTPS requests of the guard: names are resolved and certificates are verified. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scratchFolder } from '../../../../platform/scratch-folder.ts';
import { listen } from '../../../support/listen.ts';
import { certificate, key } from './certificate.ts';
import { startNames } from './names.ts';
import { startNginx } from './nginx.ts';

async function startTarget(t: TestContext): Promise<number> {
  const server = createServer({ key, cert: certificate }, (req, res) => res.end(`${req.method} ${req.headers.host}`));
  return listen(t, server);
}

function trusted(): string {
  const folder = scratchFolder('guard-tls-');
  writeFileSync(join(folder, 'trusted.pem'), certificate);
  return join(folder, 'trusted.pem');
}

test('a target over TLS', async (t) => {
  const [port, names] = [await startTarget(t), await startNames(t)];
  const to = (host: string) => ({ response: { mode: 'proxy', proxyUrl: `https://${host}:${port}` } }) as const;
  const policies = { right: to('honeypot.example'), wrong: to('another.example') };
  const resolver = `resolver 127.0.0.1:${names} ipv6=off;`;
  const trusting = await startNginx(t, { policies, http: `${resolver} lua_ssl_trusted_certificate ${trusted()};` });
  const distrusting = await startNginx(t, { policies, http: resolver });
  const answer = async (nginx: number, policy: string) => {
    const response = await fetch(`http://127.0.0.1:${nginx}/${policy}/.env`);
    return `${response.status} ${await response.text()}`;
  };

  await t.test('is asked when its certificate is trusted and names it', async () => {
    assert.equal(await answer(trusting.port, 'right'), `200 GET honeypot.example:${port}`);
  });
  await t.test('is dead when the certificate is for another name', async () => {
    assert.equal(await answer(trusting.port, 'wrong'), '502 502 Bad Gateway\n');
  });
  await t.test('is dead when no authority has signed the certificate', async () => {
    assert.equal(await answer(distrusting.port, 'right'), '502 502 Bad Gateway\n');
  });
});
