/** From a request to a refused connection: the guard in Caddy, the content in a real CrowdSec, and tcp-guard. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { get, startCaddy } from './caddy-process.ts';
import { type Alert, startAgent } from './crowdsec-agent.ts';
import { threatfeedFor, timeout } from './crowdsec-feed.ts';
import { scan } from './crowdsec-lines.ts';
import { releases } from './crowdsec-process.ts';
import { received, startUpstream } from './greeting.ts';
import { eventually, freePort } from './support.ts';
import { startGuard } from './tcp-guard-process.ts';

const [scanner, stranger] = ['127.0.0.9', '127.0.0.8'];

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
      assert.equal(await received(listen, scanner), 'welcome');
      // Lines that were written before the agent read the file are lost, so the scan goes on.
      await eventually('the scanner to be refused', async () => {
        for (const path of scan) assert.equal(await get(caddy.port, path, { localAddress: scanner }), 403);
        assert.equal(await get(caddy.port, '/.env', { localAddress: stranger }), 403);
        return (await received(listen, scanner)) === '';
      });
      assert.equal(await received(listen, stranger), 'welcome');
      assert.deepEqual(addresses(agent.alerts()), [scanner]);
    });
  });
