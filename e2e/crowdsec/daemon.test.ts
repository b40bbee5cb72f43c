/** tcp-guard as a process, with a real CrowdSec. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { receivedBytes, startUpstream } from '../support/greeting.ts';
import { freePort } from '../support/guardcli.ts';
import { type RunningGuard, startGuard } from '../tcp-guard/process.ts';
import { dataFolder, threatfeedFor, timeout } from './feed.ts';
import { type CrowdSec, releases, startCrowdsec } from './process.ts';

/** `network` contains only the first of these two addresses. */
const [suspect, stranger] = ['127.0.0.98', '127.0.0.8'];
const network = '127.0.0.96/28';

interface Guarded {
  readonly guard: RunningGuard;
  /** Returns the bytes that the client receives: none when it is refused. */
  readonly greet: (localAddress: string) => Promise<string>;
}

/** Starts tcp-guard with a new API key, because CrowdSec records by key which decisions it has sent. */
async function startGuarded(t: TestContext, crowdsec: CrowdSec, more: object = {}, global = {}): Promise<Guarded> {
  const [listen, apiKey] = [await freePort(), `key-${Math.random()}`];
  crowdsec.cscli('bouncers', 'add', apiKey.replace('.', '-'), '-k', apiKey);
  const threatfeed = { ...threatfeedFor({ ...crowdsec, apiKey }), ...more };
  const services = { greeting: { listen: `127.0.0.1:${listen}`, upstream: `127.0.0.1:${await startUpstream(t)}` } };
  const guard = await startGuard(t, { services, threatfeed }, { never_ban: [], ...global });
  return { guard, greet: (localAddress) => receivedBytes(listen, localAddress) };
}

interface Health {
  readonly crowdsec: { readonly status: string; readonly decisions: number; readonly last_error: string | null };
}
interface Stats {
  readonly tables: { readonly push: { readonly entries: number } };
}
const healthOf = async ({ ask }: RunningGuard) => (JSON.parse((await ask('GET', '/health')).body) as Health).crowdsec;

const feedIs = ({ guard }: Guarded, wanted: Partial<Health['crowdsec']>): Promise<void> =>
  until(
    async () => {
      const health: Record<string, unknown> = { ...(await healthOf(guard)) };
      return Object.entries(wanted).every(([key, value]) => health[key] === value);
    },
    `the threat feed to be ${JSON.stringify(wanted)}`,
  );

const reasonsOf = ({ guard }: Guarded, ip: string) =>
  guard.events().flatMap(({ client_ip, action, reason }) => (client_ip === ip ? [`${action} ${reason}`] : []));

for (const release of releases)
  describe(`tcp-guard with CrowdSec ${release.version}`, { skip: release.skip, timeout, concurrency: true }, () => {
    it('does with a decision what fallback_action says', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      const throttle = { connections_per_minute: 1 };
      const [banning, throttling, bypassing] = await Promise.all([
        startGuarded(t, crowdsec, { fallback_action: 'ban' }),
        startGuarded(t, crowdsec, { fallback_action: 'throttle', throttle }),
        startGuarded(t, crowdsec, { fallback_action: 'bypass' }),
      ]);
      const all = [banning, throttling, bypassing];
      assert.deepEqual(await Promise.all(all.map(({ greet }) => greet(suspect))), ['welcome', 'welcome', 'welcome']);
      crowdsec.cscli('decisions', 'add', '-r', network, '-d', '4h');
      await Promise.all(all.map((one) => feedIs(one, { decisions: 1 })));
      assert.equal(await banning.greet(suspect), '');
      assert.deepEqual([await throttling.greet(suspect), await throttling.greet(suspect)], ['welcome', '']);
      assert.equal(await bypassing.greet(suspect), 'welcome');
      assert.deepEqual(await Promise.all(all.map(({ greet }) => greet(stranger))), ['welcome', 'welcome', 'welcome']);
      const logged = ['blocked threatfeed', 'blocked threatfeed_throttle', 'allowed threatfeed_bypass'];
      for (const [index, reason] of logged.entries())
        await until(async () => reasonsOf(all[index] as Guarded, suspect).includes(reason), `${reason} in the log`);
      crowdsec.cscli('decisions', 'delete', '-r', network);
      await feedIs(banning, { decisions: 0 });
      assert.equal(await banning.greet(suspect), 'welcome');
    });

    it('says in /health that CrowdSec is away, and refuses as before', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      crowdsec.cscli('decisions', 'add', '-r', network, '-d', '4h');
      const guarded = await startGuarded(t, crowdsec);
      await feedIs(guarded, { status: 'healthy', decisions: 1 });
      await crowdsec.kill();
      await feedIs(guarded, { status: 'stale', decisions: 1, last_error: 'connection refused' });
      assert.equal(await guarded.greet(suspect), '');
      assert.equal(await guarded.greet(stranger), 'welcome');
      await crowdsec.start();
      await feedIs(guarded, { status: 'healthy', decisions: 1, last_error: null });
      crowdsec.cscli('decisions', 'delete', '-r', network);
      await feedIs(guarded, { decisions: 0 });
    });
  });

for (const release of releases)
  describe(`bans for CrowdSec ${release.version}`, { skip: release.skip, timeout }, () => {
    it('are sent after kill -9 when they could not be sent before', async (t) => {
      const crowdsec = await startCrowdsec(t, release);
      const data_dir = dataFolder();
      const own = () => crowdsec.cscli('decisions', 'list', '-a', '-o', 'json');
      const first = await startGuarded(t, crowdsec, {}, { data_dir });
      const ask = async (path: string, ip: string) => {
        const { status, body } = await first.guard.ask('POST', path, {
          ip,
          ...(path === '/ban' && { reason: 'test' }),
        });
        assert.ok(status === 200 || status === 201, body);
      };
      await ask('/ban', '192.0.2.100');
      const pending = async () =>
        (JSON.parse((await first.guard.ask('GET', '/stats')).body) as Stats).tables.push.entries;
      await until(async () => own().includes('192.0.2.100'), 'CrowdSec to know the first ban');
      await until(async () => (await pending()) === 0, 'its response');
      await crowdsec.kill();
      const addresses = Array.from({ length: 20 }, (_, index) => `198.51.100.${index + 10}`);
      await Promise.all(addresses.map((ip) => ask('/ban', ip)));
      await ask('/unban', '192.0.2.100');
      assert.equal(await pending(), addresses.length + 1);
      first.guard.signal('SIGKILL');
      await first.guard.ended;
      await crowdsec.start();
      await startGuarded(t, crowdsec, {}, { data_dir });
      await until(async () => {
        const known = own();
        return addresses.every((ip) => known.includes(`"${ip}"`)) && !known.includes('192.0.2.100');
      }, 'CrowdSec to know all bans');
    });
  });
