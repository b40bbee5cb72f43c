/** Caddy blocks, tcp-guard bans, and CrowdSec shares the ban. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { get, startCaddy } from '../caddy/process.ts';
import { receivedBytes, startUpstream } from '../support/greeting.ts';
import { freePort } from '../support/guardcli.ts';
import { startGuard } from '../tcp-guard/process.ts';
import { type CrowdSec, machine, releases, startCrowdsec } from './process.ts';

const scanner = '127.0.0.9';
const stranger = '127.0.0.8';

const configFor = ({ url, apiKey }: CrowdSec, file: string, listen: number, upstream: number) => ({
  intake: [{ file, after: 3, window: '60s' }],
  services: { greeting: { listen: `127.0.0.1:${listen}`, upstream: `127.0.0.1:${upstream}` } },
  threatfeed: {
    enabled: true,
    lapi_url: url,
    api_key: apiKey,
    update_frequency: '1s',
    push: true,
    machine_id: machine.id,
    password: machine.password,
  },
});

for (const release of releases)
  test(`scanners of a gateway are refused by tcp-guard, and CrowdSec ${release.version} knows`, {
    skip: release.skip,
  }, async (t) => {
    const crowdsec = await startCrowdsec(t, release);
    const caddy = await startCaddy(t);
    const port = await freePort();
    const config = configFor(crowdsec, caddy.events, port, await startUpstream(t));
    const guard = await startGuard(t, config, { never_ban: [] });
    const greeting = (localAddress: string) => receivedBytes(port, localAddress);

    assert.equal(await greeting(scanner), 'welcome');
    await until(async () => {
      assert.equal(await get(caddy.port, '/.env', { localAddress: scanner }), 403);
      return (await greeting(scanner)) === '';
    }, 'the file of events to be followed');
    assert.equal(await greeting(stranger), 'welcome');
    const list = JSON.parse((await guard.ask('GET', '/banlist')).body) as { bans: { ip: string; origin: string }[] };
    assert.deepEqual(
      list.bans.map(({ ip, origin }) => [ip, origin]),
      [[scanner, 'intake']],
    );

    const decisions = () => crowdsec.cscli('decisions', 'list', '-a', '-o', 'json');
    await until(async () => decisions().includes(scanner), 'CrowdSec to know the ban');
    assert.equal((await guard.ask('POST', '/unban', { ip: scanner })).status, 200);
    await until(async () => !decisions().includes(scanner), 'CrowdSec to know that it was lifted');
    await until(async () => (await greeting(scanner)) === 'welcome', 'the scanner to get through again');

    crowdsec.cscli('decisions', 'add', '-i', stranger, '-d', '10m');
    await until(async () => (await greeting(stranger)) === '', 'the decision to be enforced');
    crowdsec.cscli('decisions', 'delete', '-i', stranger);
    await until(async () => (await greeting(stranger)) === 'welcome', 'the decision to be lifted');
  });
