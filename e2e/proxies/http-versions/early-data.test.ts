/** Requests in early data (0-RTT), whose source address is not yet validated when the guard evaluates them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { marker } from '../../../cli/probes/request-bytes.ts';
import type { Reply } from '../../../cli/probes/response.ts';
import type { TargetName } from '../../../cli/targets/table.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { skip } from '../../support/guardcli.ts';
import { type Served, serve } from '../policies.ts';
import { type Release, releases } from '../releases.ts';
import { startClient } from './client.ts';
import { withVersions } from './sandbox.ts';

const everyone = ['0.0.0.0/0', '::/0'];

interface Row {
  readonly policy: Policy;
  readonly target: string;
  readonly headers?: readonly (readonly [string, string])[];
  /** Statuses as early data, and after the handshake. */
  readonly statuses: readonly [early: number, after: number];
}

const row = (file: object, target: string, ...[early, after]: [number, number]): Row => ({
  policy: Policy.parse(file),
  target,
  statuses: [early, after],
});

const forwarded = { headers: [['X-Forwarded-For', '192.0.2.1']] } as const;

/** With a forged address, the first two rows would reach the backend, and the third would write an event. */
const rows: readonly Row[] = [
  row({ allowedIps: everyone }, '/.env', 425, 200),
  { ...row({ allowedIps: ['192.0.2.1'], trustedProxies: everyone }, '/.env', 425, 200), ...forwarded },
  row({}, '/.env', 425, 403),
  row({}, '/clean', 425, 200),
  row({ mode: 'detect' }, '/.env', 200, 200),
];
/** Each policy has a site without TLS, then one with TLS. */
const sites = rows.flatMap(({ policy }) => [policy, policy]);

interface Setting {
  /** Reports whether the release accepts early data. */
  readonly accepts: (release: Release) => boolean;
  readonly accepting?: string;
  /** Directives of the documentation that disable early data. */
  readonly refusing?: string;
}

const settings: Readonly<Record<TargetName, Setting>> = {
  caddy: { accepts: () => true, refusing: '0rtt off' },
  traefik: { accepts: () => false },
  nginx: { accepts: ({ isRolling }) => isRolling === true, accepting: 'ssl_early_data on;' },
  'tcp-guard': { accepts: () => false },
};

/** Returns the status, or how the exchange ended. `closed` means that the server refused early data. */
const shown = (reply: Reply | undefined): number | string | undefined =>
  reply?.kind === 'response' ? reply.status : reply?.kind;

async function play(t: TestContext, { target: proxy }: Release, more: string, isAccepted: boolean): Promise<void> {
  const client = await startClient(t);
  const served = await serve(t, withVersions(proxy, { hasHttp3: true, more }), sites);
  for (const [index, { policy, target, headers = [], statuses }] of rows.entries()) {
    const { direct, events } = served[index * 2 + 1] as Served;
    const numbers = [index * 2, index * 2 + 1] as const;
    const requests = numbers.map((number) => ({
      ...{ method: 'GET', target, body: '' },
      headers: [['Host', 'x'] as const, ['User-Agent', marker(number)] as const, ...headers],
    }));
    const replies = await client('h3-early')(direct).send({ bytes: Buffer.alloc(0), requests, awaited: [] }, true);
    const expected = isAccepted ? statuses : ['closed', 'closed'];
    assert.deepEqual(replies.map(shown), expected, `${target} with ${JSON.stringify(policy.allowedIps)}`);
    if (replies.map(shown).includes(403)) await events.arrived(numbers[1]); // events arrive in the order of requests
    assert.deepEqual(events.of(numbers[0]), []);
  }
}

for (const release of releases.filter(({ transports }) => transports.includes('h3'))) {
  const { accepts, accepting = '', refusing = '' } = settings[release.target.name];
  const isAccepted = accepts(release);
  test(`${release.target.title}: a request in early data`, { skip }, (t) => play(t, release, accepting, isAccepted));
  if (isAccepted)
    test(`${release.target.title} refuses early data with ${refusing || 'its defaults'}`, { skip }, (t) =>
      play(t, release, refusing, false),
    );
}
