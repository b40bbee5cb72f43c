/** From a request to a refused connection: the guard in Caddy, a real CrowdSec, and tcp-guard. */
import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { get, startCaddy } from '../caddy/process.ts';
import { receivedBytes, startUpstream } from '../support/greeting.ts';
import { freePort } from '../support/guardcli.ts';
import { startGuard } from '../tcp-guard/process.ts';
import { type Alert, startAgent, textOf } from './agent.ts';
import { threatfeedFor, timeout } from './feed.ts';
import { auditLines, gatewayLines, lineOf, scannedTargets } from './lines.ts';
import { releases } from './process.ts';

const [scanner, stranger] = ['127.0.0.9', '127.0.0.8'];

const hub = `
type: leaky
name: hub/http-probing
description: "as crowdsecurity/http-probing"
filter: "evt.Meta.service == 'http' && evt.Meta.log_type in ['http_access-log', 'http_error-log'] && evt.Meta.http_status in ['404', '403', '400']"
groupby: "evt.Meta.source_ip + '/' + evt.Parsed.target_fqdn"
distinct: evt.Meta.http_path
capacity: 3
leakspeed: 10s
labels: {remediation: true}
---
type: leaky
name: hub/ssh-bf
description: "as crowdsecurity/ssh-bf"
filter: "evt.Meta.service == 'ssh' && evt.Meta.auth_status == 'failed'"
groupby: evt.Meta.source_ip
capacity: 3
leakspeed: 10s
labels: {remediation: true}
`;

const addresses = (alerts: readonly Alert[]): string[] =>
  Array.from(new Set(alerts.map(({ source }) => source.value))).sort();

for (const release of releases)
  describe(`the content in CrowdSec ${release.version}, live`, { skip: release.skip, timeout }, () => {
    it('lets tcp-guard refuse who scanned a site', async (t) => {
      const agent = await startAgent(t, release);
      const events = join(agent.folder, 'caddy.jsonl');
      writeFileSync(events, '');
      const caddy = await startCaddy(t, { events });
      const listen = await freePort();
      const services = { greeting: { listen: `127.0.0.1:${listen}`, upstream: `127.0.0.1:${await startUpstream(t)}` } };
      await startGuard(t, { services, threatfeed: threatfeedFor(agent) }, { never_ban: [] });
      await agent.follow([events]);
      assert.equal(await receivedBytes(listen, scanner), 'welcome');
      // Lines from before the agent reads the file are lost.
      await until(async () => {
        for (const path of scannedTargets) assert.equal(await get(caddy.port, path, { localAddress: scanner }), 403);
        assert.equal(await get(caddy.port, '/.env', { localAddress: stranger }), 403);
        return (await receivedBytes(listen, scanner)) === '';
      }, 'the scanner to be refused');
      assert.equal(await receivedBytes(listen, stranger), 'welcome');
      assert.deepEqual(addresses(agent.alerts()), [scanner]);
    });

    it('lets scenarios of the hub count blocked requests where a label says so, and never probable failures', async (t) => {
      const agent = await startAgent(t, release);
      writeFileSync(join(agent.folder, 'scenarios/hub.yaml'), hub);
      const { ssh } = await auditLines(t);
      const events = await gatewayLines(t, 'caddy');
      const lines = () => [...events, ...events.map(() => ssh)].map((line) => lineOf(line, scanner, Date.now()));
      const ofHub = (alerts: readonly Alert[]) =>
        new Set(alerts.flatMap(({ scenario }) => (scenario.startsWith('hub/') ? [scenario] : [])));
      assert.deepEqual(ofHub(await agent.replay(lines())), new Set());
      const file = join(agent.folder, 'events.jsonl');
      writeFileSync(file, '');
      await agent.follow([file], { log_type: 'http_access-log' });
      await until(async () => {
        appendFileSync(file, textOf(lines()));
        return ofHub(agent.alerts()).size > 0;
      }, 'the scenario of the hub to count');
      assert.deepEqual(ofHub(agent.alerts()), new Set(['hub/http-probing']));
    });
  });
