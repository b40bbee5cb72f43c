/** Over HTTP/2 and HTTP/3, requests, verdicts and events must equal those of HTTP/1.1. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { failuresText } from '../../../cli/probes/report.ts';
import type { RequestParts } from '../../../cli/probes/request-bytes.ts';
import { plain } from '../../../cli/program/paint.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { skip } from '../../support/guardcli.ts';
import { type Served, serve } from '../policies.ts';
import { type Release, releases } from '../releases.ts';
import { type Open, startClient, type Transport } from './client.ts';
import { isTls, withVersions } from './sandbox.ts';
import { suiteFor } from './suite.ts';

const everything = {
  ...{ methods: ['*'], checkQuery: true, checkBody: true, checkHeaders: ['X-Original-URL'] },
  exceptions: [{ rules: ['env-file', 'hidden-seg'], path: '^/', hosts: ['files.test'] }],
};
const policies = [
  everything,
  { ...everything, mode: 'detect' },
  { ...everything, bodyOverflow: 'block', maxBodyBytes: 4096 },
].map((policy) => Policy.parse(policy));
/** Each policy has a site without TLS, then one with TLS. */
const sites = policies.flatMap((policy) => [policy, policy]);

async function play(t: TestContext, served: readonly Served[], transport: Transport, open: Open): Promise<void> {
  const listening = served.filter((_, index) => isTls(index) === (transport !== 'h2c'));
  for (const site of listening) {
    const { setting, send } = site.over(transport === 'h3' ? '3' : '2', open);
    // Vectors run once: TLS does not change how a proxy reads HTTP/2, and the mode does not change verdicts.
    const hasVectors = transport !== 'h2' && setting.policy.mode === 'enforce';
    const report = await send(suiteFor(setting, { hasVectors }));
    assert.equal(report.counts.failed, 0, failuresText(report, plain));
    t.diagnostic(JSON.stringify(report.counts));
  }
}

async function playAll(t: TestContext, { target, transports }: Release): Promise<void> {
  const client = await startClient(t);
  const served = await serve(t, withVersions(target, { hasHttp3: transports.includes('h3') }), sites);
  for (const transport of transports) await t.test(transport, (one) => play(one, served, transport, client(transport)));
}

/** Imitates the versions of lua-nginx-module that throw here. Debian has none of them. */
const raising = `
local read_body = ngx.req.read_body
ngx.req.read_body = function()
    if ngx.req.http_version() >= 2 and not ngx.var.http_content_length then
        error("http2 requests are not supported without content-length header")
    end
    return read_body()
end`;

/** The client sends a Content-Length only with a body of even length. */
const [attack, even] = ['f=/x/../../etc/passwd', 'ff=/x/../../etc/passwd'];
const length = ['Content-Length', String(even.length)] as const;
const type = ['Content-Type', 'application/x-www-form-urlencoded'] as const;

/** Requests and their status in modes enforce and detect, when nginx cannot read a body without a length. */
const unreadable: readonly (readonly [
  what: string,
  request: Omit<RequestParts, 'target'>,
  enforce: number,
  detect: number,
])[] = [
  ['with a length', { method: 'POST', headers: [type, length], body: even }, 403, 200],
  ['without a length', { method: 'POST', headers: [type], body: attack }, 500, 200],
  ['without a length and a type', { method: 'POST', headers: [], body: attack }, 500, 200],
  ['none', { method: 'GET', headers: [], body: '' }, 200, 200],
];

test('a body that nginx cannot read is not passed on', { skip }, async (t) => {
  const client = await startClient(t);
  const { target } = releases.find((one) => one.target.name === 'nginx') as Release;
  const served = await serve(t, withVersions(target, { hasHttp3: false, lua: raising }), sites);
  const statusOf = async ({ direct }: Served, request: Omit<RequestParts, 'target'>): Promise<number> => {
    const sent = { ...request, target: '/x', headers: [['Host', 'x'] as const, ...request.headers] };
    const [reply] = await client('h2c')(direct).send({ bytes: Buffer.alloc(0), requests: [sent], awaited: [] }, true);
    return reply?.kind === 'response' ? reply.status : 0;
  };
  const [enforcing, , detecting] = served as [Served, Served, Served];
  for (const [what, request, enforce, detect] of unreadable)
    assert.deepEqual([await statusOf(enforcing, request), await statusOf(detecting, request)], [enforce, detect], what);
});

for (const release of releases)
  test(`${release.target.title} has the verdicts of HTTP/1.1 over other versions`, { skip }, (t) =>
    playAll(t, release),
  );
