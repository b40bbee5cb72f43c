/** Security events of the real Traefik in a file, and log rotation. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../platform/scratch-folder.ts';
import { until } from '../platform/until.ts';
import { guarded, startTraefik } from './traefik-process.ts';

/** Nothing listens there: what the guard passes on is answered 502. */
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
  const traefik = await startTraefik(t, guarded(backend, { guard: { securityLogFile: file } }));
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
