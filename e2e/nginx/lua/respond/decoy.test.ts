/** Decoy files in nginx: the same secret and address give the same values as in Go. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { packageRoot } from '../../../../platform/assets.ts';
import { startNginx } from './nginx.ts';

interface Vectors {
  readonly secret: string;
  readonly host: string;
  readonly decoys: readonly { readonly path: string; readonly body: string }[];
}

const file = join(packageRoot, 'module/respond/testdata/decoys.json');
const { secret, host, decoys }: Vectors = JSON.parse(readFileSync(file, 'utf8'));

async function bodyOf(port: number, path: string, headers = {}): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(
    { port, host: '127.0.0.1', path: encodeURI(path), headers: { Host: host, ...headers }, agent: false },
    resolve,
  ).on('error', reject);
  return await text(await promise);
}

test('decoys', async (t) => {
  const fake = { response: { mode: 'fake_success' } } as const;
  const own = { response: { mode: 'fake_success', body: '<b>own</b>' } } as const;
  const { port, master, errorLog } = await startNginx(t, {
    policies: { fake: { secret, ...fake }, keyless: fake, own },
    workers: 2,
  });

  for (const { path, body } of decoys)
    await t.test(`${path} is the decoy of the vectors`, async () => assert.equal(await bodyOf(port, path), body));

  await t.test('the body of the policy wins', async () => {
    assert.equal(await bodyOf(port, '/own/.env'), '<b>own</b>');
  });

  await t.test('a host with foreign characters is not shown', async () => {
    assert.match(await bodyOf(port, '/fake/.env', { Host: 'a_b.example' }), /^APP_URL=https:\/\/localhost$/m);
  });

  await t.test('without a secret all workers agree, and so do those after a reload', async () => {
    const before = await Promise.all(Array.from({ length: 20 }, () => bodyOf(port, '/keyless/.env')));
    master.kill('SIGHUP');
    while (!errorLog().includes('exited with code 0')) await new Promise((resolve) => setImmediate(resolve));
    const bodies = new Set([...before, await bodyOf(port, '/keyless/.env')]);
    assert.equal(bodies.size, 1);
    assert.notEqual([...bodies][0], await bodyOf(port, '/fake/.env'));
  });
});
