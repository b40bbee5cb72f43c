import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { blockWith } from '../../scripts/pages/blocks.ts';
import { exchangeBytes } from '../nginx/lua/respond/wire.ts';
import { freePort } from '../support/guardcli.ts';
import { routeWithGuards, startTraefik } from './process.ts';

/** An address at which no program listens: allowed requests get 502. */
const backend = 'http://127.0.0.1:1';

const targets = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line).request_uri)
    : [];

test('securityLogFile has every event, and is opened again when log rotation renamed it', async (t) => {
  const folder = scratchFolder('guard-events-');
  const file = join(folder, 'events.log');
  const traefik = await startTraefik(t, routeWithGuards(backend, { guard: { securityLogFile: file } }));
  const status = (path: string): Promise<number> =>
    fetch(`http://127.0.0.1:${traefik.port}${path}`).then(
      (response) => response.status,
      () => 0,
    );
  await until(async () => (await status('/')) === 502, 'Traefik to serve');

  const blocked = ['/.env?1', '/.env?2', '/.git/config'];
  for (const path of blocked) assert.equal(await status(path), 403);
  assert.deepEqual(targets(file), blocked);

  renameSync(file, `${file}.1`);
  await until(async () => (await status('/.env?after')) === 403 && existsSync(file), 'a new file');
  const before = targets(file).length;
  assert.equal(await status('/.env?last'), 403);
  assert.deepEqual(targets(file).slice(before), ['/.env?last']);
  assert.deepEqual(targets(`${file}.1`).slice(0, blocked.length), blocked);
  assert.doesNotMatch(traefik.output(), /events are lost|panic/);
});

test('the access log of the documentation has the reference of the response and of its event', async (t) => {
  const { accessLog } = parse(blockWith('docs/traefik.md', 'yaml', 'X-Guard-Reference')) as { accessLog: object };
  const file = join(scratchFolder('guard-events-'), 'events.log');
  const traefik = await startTraefik(t, routeWithGuards(backend, { guard: { securityLogFile: file } }), { accessLog });
  const ask = () => fetch(`http://127.0.0.1:${traefik.port}/.env`).catch(() => undefined);
  await until(async () => (await ask())?.status === 403, 'Traefik to serve');
  const response = (await ask()) ?? assert.fail();
  const reference = response.headers.get('x-guard-reference') ?? '';
  assert.equal(await response.text(), `403 Forbidden\nReference: ${reference}\n`);
  const [line = '{}'] = readFileSync(file, 'utf8').trim().split('\n').slice(-1);
  assert.equal(JSON.parse(line).reference, reference);
  await until(() => traefik.output().includes(`"downstream_X-Guard-Reference":"${reference}"`), 'the access log');
});

test('a flood of one client hides no event of another, and the sums have the others', async (t) => {
  const file = join(scratchFolder('guard-events-'), 'events.log');
  const policy = { securityLogFile: file, trustedProxies: ['127.0.0.1'] };
  const port = await freePort();
  const entry = { address: `127.0.0.1:${port}`, forwardedHeaders: { trustedIPs: ['127.0.0.1'] } };
  const traefik = await startTraefik(t, routeWithGuards(backend, { guard: policy }), {
    entryPoints: { trusting: entry },
  });
  const bytes = (client: string, count: number): string =>
    Array.from({ length: count }, (_, index) => {
      const connection = index === count - 1 ? 'close' : 'keep-alive';
      return `GET /.env HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${client}\r\nConnection: ${connection}\r\n\r\n`;
    }).join('');
  await until(
    async () => (await exchangeBytes(port, bytes('192.0.2.9', 1))).startsWith('HTTP/1.1 403 '),
    'Traefik to serve',
  );
  const flood = Array.from({ length: 8 }, () => exchangeBytes(port, bytes('192.0.2.1', 1000)));
  await exchangeBytes(port, bytes('192.0.2.2', 40));
  await Promise.all(flood);
  const lines = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const written = (client: string) => lines().filter(({ client_ip }) => client_ip === client).length;
  const summed = (client: string) =>
    lines()
      .flatMap(({ clients = [] }) => clients)
      .filter((entry: { client: string }) => entry.client === client)
      .reduce((sum: number, entry: { count: number }) => sum + entry.count, 0);
  await until(() => written('192.0.2.1') + summed('192.0.2.1') === 8000, 'all events of the flood');
  assert.equal(written('192.0.2.2'), 40);
  assert.doesNotMatch(traefik.output(), /events are lost|panic/);
});
