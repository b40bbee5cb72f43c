/** Threat-feed decisions of the previous run while the daemon starts. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { decision, fakeLapi, jsonReply, streamReply } from '../feed/testing/fake-lapi.ts';
import { echo, guardedService, isServed, start, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { stallOpen } from '../testing/stalled-open.ts';

const stored = (ip: string): string => {
  const decision = { ip, type: 'ban', origin: 'cscli', scenario: 's', expiresAt: Date.now() + 600_000 };
  return `{"version":1}\n${JSON.stringify(['ip', decision])}\n{"count":1}\n`;
};

test('a decision on an address of a CDN is not in force, unless it was made by hand', async (t) => {
  const origins = { '104.16.0.1': 'crowdsec', '104.16.0.2': 'lists:x', '104.16.0.3': 'cscli', '203.0.113.7': 'CAPI' };
  const fresh = Object.entries(origins).map(([value, origin]) => decision(value, { origin }));
  const lapi = await fakeLapi(t, streamReply(fresh));
  const { port } = await startUpstream(t, echo);
  const service = guardedService(port, { proxy_protocol: { accept_from: ['127.0.0.1'] } });
  const { daemon, dial } = await start(t, {
    services: { one: service },
    threatfeed: { enabled: true, lapi_url: lapi.url, api_key: 'k' },
  });
  const isClientServed = (ip: string) => isServed(dial('one'), `PROXY TCP4 ${ip} 127.0.0.1 4000 5000\r\nx`);
  await until(async () => !(await isClientServed('203.0.113.7')));
  const served = [];
  for (const ip of Object.keys(origins)) served.push(await isClientServed(ip));
  assert.deepEqual(served, [true, true, false, false]);
  assert.match(daemon.problems().join(), /104\.16\.0\.1 is an address of Cloudflare .*\(threatfeed: test\)/);
});

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
