/** Every verdict of the conformance data, sent as raw bytes to the real proxy with the policy it belongs to. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { plain } from '../cli/paint.ts';
import { isSkipped } from '../cli/probes/probe.ts';
import { failuresText } from '../cli/probes/report.ts';
import { obstacle, requestOf, type VectorCase, vectorProbes, verdictVectors } from '../cli/probes/sources/vectors.ts';
import { caddy } from '../cli/sandbox/targets/caddy.ts';
import { parseAddress } from '../contract/address.ts';
import { loadPolicy } from '../contract/load/policy.ts';
import type { Policy } from '../contract/policy.ts';
import { serve } from './policies.ts';
import { skip } from './support.ts';

interface Group {
  readonly policy: Policy;
  readonly cases: readonly VectorCase[];
}

function load(file: unknown): Policy {
  const loaded = loadPolicy(Buffer.from(JSON.stringify(file)), 'vector');
  assert.ok(loaded.ok);
  return loaded.value;
}

/**
 * The cases by policy. Those with a peer of their own go to a twin of the policy that also trusts the address this machine
 * has in the container: there, an entry of X-Forwarded-For is what a peer is elsewhere.
 */
function groupsOf(cases: readonly VectorCase[], peer: string): Group[] {
  const byPolicy = Object.values(Object.groupBy(cases, ({ policy }) => JSON.stringify(policy))) as VectorCase[][];
  return byPolicy.flatMap((group) => {
    const policy = load(group[0]?.policy);
    const twin = { ...policy, trustedProxies: [...policy.trustedProxies, peer] };
    const isOf = (withPeer: boolean) => group.filter(({ request }) => (request.ip !== undefined) === withPeer);
    return [
      { policy, cases: isOf(false) },
      { policy: twin, cases: isOf(true) },
    ].filter((one) => one.cases.length > 0);
  });
}

/** Whether the wire can say exactly what the vector says: the proxy changes nothing of it, and the peer is an address. */
function isFaithful({ request }: VectorCase): boolean {
  const headers = (request.headers ?? []).every(([name]) => caddy.host.receivesHeader(name));
  return headers && (request.ip === undefined || parseAddress(request.ip) !== undefined);
}

test('the verdict on the wire is the verdict of the vector', { skip }, async (t: TestContext) => {
  const cases = verdictVectors();
  const [probe] = await serve(t, caddy, [load({})]);
  const groups = groupsOf(cases, probe?.setting.peer ?? '');
  const served = await serve(
    t,
    caddy,
    groups.map(({ policy }) => policy),
  );
  const counts = { sent: 0, refused: 0, skipped: 0, asWritten: 0 };
  for (const [index, { cases: own, policy }] of groups.entries()) {
    const { setting, send } = served[index] as (typeof served)[number];
    const rows = vectorProbes(setting, own);
    const suite = { probes: rows.filter((row) => !isSkipped(row)), skipped: rows.filter(isSkipped) };
    const report = await send(suite as Parameters<typeof send>[0]);
    assert.equal(report.counts.failed, 0, `${JSON.stringify(policy)}\n${failuresText(report, plain)}`);
    counts.sent += report.counts.passed;
    counts.skipped += suite.skipped.length;
    for (const one of own.filter(({ request }) => obstacle(request) === undefined)) {
      const outcome = setting.outcome(requestOf(one.request, setting.isTrusted));
      if (outcome.kind === 'refused') counts.refused += 1;
      else if (isFaithful(one)) {
        const { pattern: _, ...verdict } = outcome.verdict;
        assert.deepEqual(verdict, (one as unknown as { expect: object }).expect, one.id);
        counts.asWritten += 1;
      }
    }
  }
  t.diagnostic(`${cases.length} vectors: ${JSON.stringify(counts)}`);
  assert.ok(counts.asWritten > 0.9 * cases.length, JSON.stringify(counts));
});
