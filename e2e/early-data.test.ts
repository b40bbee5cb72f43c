/** Early data of HTTP/3 (0-RTT), on the wire: its source address is not validated, so the guard answers before it counts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marker } from '../cli/probes/request-bytes.ts';
import type { Reply } from '../cli/probes/response.ts';
import type { TargetName } from '../cli/targets/table.ts';
import { Policy } from '../contract/policy/schema.ts';
import { startClient } from './http-versions/client.ts';
import { withVersions } from './http-versions/sandbox.ts';
import { type Served, serve } from './policies.ts';
import { type Release, releases } from './releases.ts';
import { skip } from './support.ts';

const everyone = ['0.0.0.0/0', '::/0'];

interface Row {
  readonly policy: Policy;
  readonly target: string;
  readonly headers?: readonly (readonly [string, string])[];
  /** Status of the request as early data, and of the same one after the handshake. */
  readonly statuses: readonly [early: number, after: number];
}

const row = (file: object, target: string, ...[early, after]: [number, number]): Row => ({
  policy: Policy.parse(file),
  target,
  statuses: [early, after],
});

const forwarded = { headers: [['X-Forwarded-For', '192.0.2.1']] } as const;

/** A forged address would lead to the backend in the first two rows, and into an event in the third one. */
const rows: readonly Row[] = [
  row({ allowedIps: everyone }, '/.env', 425, 200),
  { ...row({ allowedIps: ['192.0.2.1'], trustedProxies: everyone }, '/.env', 425, 200), ...forwarded },
  row({}, '/.env', 425, 403),
  row({}, '/clean', 425, 200),
  row({ mode: 'detect' }, '/.env', 200, 200),
];
/** One site is plain, the next one has TLS. */
const sites = rows.flatMap(({ policy }) => [policy, policy]);

/** Which releases can accept early data. The others refuse it, so the guard receives none. */
const accepts: Readonly<Record<TargetName, (release: Release) => boolean>> = {
  caddy: () => true,
  traefik: () => false,
  nginx: ({ isMoving }) => isMoving === true,
  'tcp-guard': () => false,
};

const shown = (reply: Reply | undefined): number | string => (reply?.kind === 'response' ? reply.status : 'refused');

for (const release of releases.filter(({ transports }) => transports.includes('h3')))
  test(`${release.target.title}: a request in early data`, { skip }, async (t) => {
    const client = await startClient(t);
    const options = { hasHttp3: true, secure: 'ssl_early_data on;' };
    const served = await serve(t, withVersions(release.target, options), sites);
    const acceptsEarly = accepts[release.target.name](release);
    for (const [index, { policy, target, headers = [], statuses }] of rows.entries()) {
      const { direct, events } = served[index * 2 + 1] as Served;
      const numbers = [index * 2, index * 2 + 1] as const;
      const requests = numbers.map((number) => ({
        ...{ method: 'GET', target, body: '' },
        headers: [['Host', 'x'] as const, ['User-Agent', marker(number)] as const, ...headers],
      }));
      const replies = await client('h3-early')(direct).send({ bytes: Buffer.alloc(0), requests, awaited: [] }, true);
      const [early, after] = statuses;
      const expected = acceptsEarly ? [early, after] : ['refused', 'refused'];
      assert.deepEqual(replies.map(shown), expected, `${target} with ${JSON.stringify(policy.allowedIps)}`);
      if (replies.map(shown).includes(403)) await events.arrived(numbers[1]); // events are in the order of requests
      assert.deepEqual(events.of(numbers[0]), []);
    }
  });
