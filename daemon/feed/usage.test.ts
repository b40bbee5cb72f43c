import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { version } from '../process/version.ts';
import { fakeLapi, jsonReply, type Reply } from './testing/fake-lapi.ts';
import { defaults } from './testing/running-feed.ts';
import { Usage } from './usage.ts';

const held = { decision: { ip: '192.0.2.1', type: 'ban', origin: 'CAPI', scenario: 's', expiresAt: 9e15 } };

async function counted(t: TestContext, reply: Reply, decisions: () => Iterable<typeof held> = () => [held, held]) {
  const lapi = await fakeLapi(t, reply);
  const clock = { now: 1_700_000_000_000 };
  const threatfeed = { ...defaults.threatfeed, lapi_url: lapi.url, api_key: 'k' };
  const usage = new Usage({ threatfeed, now: () => clock.now, decisions });
  for (let index = 0; index < 3; index++) usage.account({ isIpv6: false });
  usage.account({ isIpv6: true, origin: 'lists:tor', remediation: 'ban' });
  clock.now += 1_800_500;
  return { lapi, usage, clock, report: () => usage.report(AbortSignal.timeout(10_000)) };
}

interface Report {
  readonly remediation_components: readonly [
    {
      readonly version: string;
      readonly utc_startup_timestamp: number;
      readonly metrics: readonly [{ readonly meta: object; readonly items: readonly object[] }];
    },
  ];
}
const components = (bodies: readonly unknown[]) => (bodies as Report[]).map((body) => body.remediation_components[0]);
const processed = (value: number, ip_type: string) => ({
  name: 'processed',
  value,
  unit: 'request',
  labels: { ip_type },
});

describe('usage reports', () => {
  it('have the fields that the LAPI requires', async (t) => {
    const { lapi, report } = await counted(t, jsonReply(null, 201));
    await report();
    assert.deepEqual(lapi.requests, ['POST /v1/usage-metrics']);
    const [sent] = components(lapi.bodies);
    assert.equal(sent?.version, version);
    assert.equal(sent?.utc_startup_timestamp, 1_700_000_000);
    assert.deepEqual(sent?.metrics[0].meta, { window_size_seconds: 1800, utc_now_timestamp: 1_700_001_800 });
    assert.deepEqual(sent?.metrics[0].items, [
      processed(3, 'ipv4'),
      processed(1, 'ipv6'),
      {
        name: 'dropped',
        value: 1,
        unit: 'request',
        labels: { origin: 'lists:tor', remediation: 'ban', ip_type: 'ipv6' },
      },
      { name: 'active_decisions', value: 2, unit: 'ip', labels: { origin: 'CAPI', ip_type: 'ipv4' } },
    ]);
  });

  it('contain the counts since the last accepted report', async (t) => {
    const { lapi, usage, clock, report } = await counted(t, jsonReply({}, 500));
    await assert.rejects(report());
    lapi.answer(jsonReply(null, 201));
    usage.account({ isIpv6: false });
    await report();
    usage.account({ isIpv6: false });
    clock.now += 60_000;
    await report();
    const metrics = components(lapi.bodies).map((one) => one.metrics[0]);
    assert.deepEqual(
      metrics.map(({ items }) => items[0]),
      [processed(3, 'ipv4'), processed(4, 'ipv4'), processed(1, 'ipv4')],
    );
    assert.deepEqual(metrics[2]?.meta, { window_size_seconds: 60, utc_now_timestamp: 1_700_001_860 });
  });

  it('count many decisions in several turns of the event loop', async (t) => {
    let turns = 0;
    function* many(): Generator<typeof held> {
      setImmediate(() => turns++);
      for (let index = 0; index < 10_000; index++) yield held;
      assert.ok(turns > 0);
    }
    const { lapi, report } = await counted(t, jsonReply(null, 201), many);
    await report();
    assert.deepEqual(components(lapi.bodies)[0]?.metrics[0].items.at(-1), {
      name: 'active_decisions',
      value: 10_000,
      unit: 'ip',
      labels: { origin: 'CAPI', ip_type: 'ipv4' },
    });
  });

  it('have a window without a length after the clock was set back', async (t) => {
    const { lapi, clock, report } = await counted(t, jsonReply(null, 201));
    clock.now -= 24 * 3_600_000;
    await report();
    const meta = components(lapi.bodies)[0]?.metrics[0].meta;
    assert.deepEqual(meta, { window_size_seconds: 0, utc_now_timestamp: Math.floor(clock.now / 1000) });
  });
});

describe('usage reports to an older LAPI', () => {
  it('are not sent again to a LAPI without the endpoint', async (t) => {
    const { lapi, report } = await counted(t, jsonReply({}, 404));
    await report();
    await report();
    assert.equal(lapi.requests.length, 1);
  });
});
