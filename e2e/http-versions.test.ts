/** HTTP/2, with prior knowledge and over TLS, and HTTP/3: the same requests, verdicts and events as over HTTP/1.1. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { failuresText } from '../cli/probes/report.ts';
import { plain } from '../cli/program/paint.ts';
import { Policy } from '../contract/policy/schema.ts';
import { type Open, startClient, type Transport } from './http-versions/client.ts';
import { isTls, withVersions } from './http-versions/sandbox.ts';
import { suiteFor } from './http-versions/suite.ts';
import { type Served, serve } from './policies.ts';
import { type Release, releases } from './releases.ts';
import { skip } from './support.ts';

const everything = {
  ...{ methods: ['*'], checkQuery: true, checkBody: true, checkHeaders: ['X-Original-URL'] },
  exceptions: [{ rules: ['env-file', 'hidden-seg'], path: '^/', hosts: ['files.test'] }],
};
const policies = [
  everything,
  { ...everything, mode: 'detect' },
  { ...everything, bodyOverflow: 'block', maxBodyBytes: 4096 },
].map((policy) => Policy.parse(policy));
/** One site is plain, the next one has TLS. */
const sites = policies.flatMap((policy) => [policy, policy]);

async function play(t: TestContext, served: readonly Served[], transport: Transport, open: Open): Promise<void> {
  const listening = served.filter((_, index) => isTls(index) === (transport !== 'h2c'));
  for (const site of listening) {
    const { setting, send } = site.over(transport === 'h3' ? '3' : '2', open);
    const report = await send(suiteFor(setting));
    assert.equal(report.counts.failed, 0, failuresText(report, plain));
    t.diagnostic(JSON.stringify(report.counts));
  }
}

async function playAll(t: TestContext, { target, transports }: Release): Promise<void> {
  const client = await startClient(t);
  const served = await serve(t, withVersions(target, { hasHttp3: transports.includes('h3') }), sites);
  for (const transport of transports) await t.test(transport, (one) => play(one, served, transport, client(transport)));
}

for (const release of releases)
  test(`${release.target.title} has the verdicts of HTTP/1.1 over other versions`, { skip }, (t) =>
    playAll(t, release),
  );
