/** Threat-feed decisions of the previous run while the daemon starts. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../platform/free-ports.ts';
import { fakeLapi, jsonReply } from '../feed/testing/fake-lapi.ts';
import { echo, guardedService, start, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { stallOpen } from '../testing/stalled-open.ts';

const stored = (ip: string): string => {
  const decision = { ip, type: 'ban', origin: 'cscli', scenario: 's', expiresAt: Date.now() + 600_000 };
  return `{"version":1}\n${JSON.stringify(['ip', decision])}\n{"count":1}\n`;
};

test('services listen after the decisions of the previous run are in force', async (t) => {
  const folder = temporaryFolder();
  const path = join(folder, 'threatfeed.jsonl');
  writeFileSync(path, stored('127.0.0.9'));
  const disk = stallOpen(t, path);
  const { port } = await startUpstream(t, echo);
  const listen = await freePort();
  const lapi = await fakeLapi(t, jsonReply({}, 500));
  const starting = start(
    t,
    {
      services: { one: guardedService(port, { listen: `127.0.0.1:${listen}` }) },
      threatfeed: { enabled: true, lapi_url: lapi.url, api_key: 'k' },
    },
    { folder },
  );
  await disk.isOpening;
  const early = connect(listen, '127.0.0.1');
  const outcome = await once(early, 'connect').then(
    () => 'connected',
    ({ code }: NodeJS.ErrnoException) => code,
  );
  early.destroy();
  disk.free();
  const { dial, event } = await starting;
  assert.equal(outcome, 'ECONNREFUSED');
  dial('one', { localAddress: '127.0.0.9' });
  await event(({ client_ip, reason }) => client_ip === '127.0.0.9' && reason === 'threatfeed');
});
