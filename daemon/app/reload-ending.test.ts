/** Reloads while the daemon ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadDaemon } from '../../contract/load/index.ts';
import { freePort } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { isEchoed } from '../testing/changeable.ts';
import { echo, guardedService, start, startUpstream, temporaryFolder, testFile } from '../testing/daemon.ts';

test('a daemon that ends finishes a reload in progress, refuses later ones, and does not listen again', async (t) => {
  const { port } = await startUpstream(t, echo);
  const folder = temporaryFolder();
  const file = {
    services: { one: guardedService(port, { listen: `127.0.0.1:${await freePort()}` }) },
    global: { drain: '1h' },
  };
  let closed: Promise<boolean> | undefined;
  const read = () => {
    closed ??= daemon.close();
    return loadDaemon(Buffer.from(JSON.stringify(testFile(folder, file))), 'test', {});
  };
  const { daemon, dial } = await start(t, { ...file, services: { old: guardedService(port) } }, { read, folder });
  const socket = dial('old');
  assert.equal(await isEchoed(socket), true);
  assert.equal((await daemon.reload('a test')).ok, true);
  const isRefused = async () => !(await isEchoed(dial('one')));
  await until(isRefused);
  const later = await daemon.reload('a test');
  assert.match(later.ok ? '' : JSON.stringify(later.problems), /tcp-guard is ending/);
  assert.equal(await isRefused(), true);
  assert.equal(await isEchoed(socket), true, 'open connections continue');
  socket.end();
  assert.equal(await closed, true);
});
