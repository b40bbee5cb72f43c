/** Sends the conformance data as raw bytes, and compares the verdicts. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { isSkipped } from '../../../cli/probes/probe.ts';
import { failuresText } from '../../../cli/probes/report.ts';
import type { Setting } from '../../../cli/probes/setting.ts';
import {
  lacksPeer,
  requestOf,
  type VectorCase,
  vectorProbes,
  vectorSkipReason,
  verdictVectors,
} from '../../../cli/probes/sources/vectors.ts';
import { plain } from '../../../cli/program/paint.ts';
import type { ProxyTarget } from '../../../cli/targets/table.ts';
import { loadPolicy } from '../../../contract/load/policy.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { parseAddress } from '../../../contract/values/address.ts';
import { refuses, type Served } from '../policies.ts';
import type { Section } from './sections.ts';

interface Group {
  readonly policy: Policy;
  readonly cases: readonly VectorCase[];
}

function load(file: unknown): Policy {
  const loaded = loadPolicy(Buffer.from(JSON.stringify(file)), 'vector');
  assert.ok(loaded.ok);
  return loaded.value;
}

/** Groups cases by policy. Cases with a peer trust this machine, so that X-Forwarded-For can set the peer. */
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

/** Returns whether the proxy changes nothing and the peer is an address. */
function arrivesUnchanged({ model, received }: Setting, { request }: VectorCase): boolean {
  const sent = requestOf(request, false);
  const seen = received(sent);
  const isSame = seen.kind === 'passed' && seen.target === sent.target;
  const headers = (request.headers ?? []).every(([name]) => model.receivesHeader(name));
  return isSame && headers && (request.ip === undefined || parseAddress(request.ip) !== undefined);
}

interface Counts {
  sent: number;
  refused: number;
  skipped: number;
  asWritten: number;
}

/** Describes verdicts that differ from the vectors. */
function compare(cases: readonly VectorCase[], { setting }: Served, counts: Counts): string[] {
  return cases.flatMap((one) => {
    if (vectorSkipReason(one.request) !== undefined || lacksPeer(one)) return [];
    const outcome = setting.outcome(requestOf(one.request, setting.isTrusted));
    if (outcome.kind === 'refused') counts.refused += 1;
    if (outcome.kind === 'refused' || !arrivesUnchanged(setting, one)) return [];
    counts.asWritten += 1;
    const { pattern: _, ...verdict } = outcome.verdict;
    const { expect } = one as unknown as { expect: object };
    return isDeepStrictEqual(verdict, expect) ? [] : [`${one.id} expects ${JSON.stringify([expect, verdict])}`];
  });
}

async function sendAll({ cases, policy }: Group, { setting, send }: Served, counts: Counts): Promise<string[]> {
  const rows = vectorProbes(setting, cases);
  const probeSet = { probes: rows.filter((row) => !isSkipped(row)), skipped: rows.filter(isSkipped) };
  const report = await send(probeSet as Parameters<typeof send>[0]);
  counts.sent += report.counts.passed;
  counts.skipped += probeSet.skipped.length;
  return report.counts.failed > 0 ? [`${JSON.stringify(policy)}\n${failuresText(report, plain)}`] : [];
}

/** Minimum share of requests that a proxy neither changes nor refuses. */
const leastUnchangedShare = 0.5;

async function run(t: TestContext, groups: readonly Group[], served: readonly Served[]): Promise<void> {
  const counts: Counts = { sent: 0, refused: 0, skipped: 0, asWritten: 0 };
  const failures: string[] = [];
  for (const [index, group] of groups.entries()) {
    failures.push(...(await sendAll(group, served[index] as Served, counts)));
    failures.push(...compare(group.cases, served[index] as Served, counts));
  }
  assert.equal(failures.length, 0, failures.join('\n'));
  const total = groups.reduce((sum, { cases }) => sum + cases.length, 0);
  t.diagnostic(`${total} vectors: ${JSON.stringify(counts)}`);
  assert.ok(counts.asWritten > leastUnchangedShare * total, JSON.stringify(counts));
}

export function vectorSection(_: TestContext, peer: string, target: ProxyTarget): Section {
  const groups = groupsOf(verdictVectors(), peer).filter(({ policy }) => !refuses(target, policy));
  return { policies: groups.map(({ policy }) => policy), run: (t, sites) => run(t, groups, sites) };
}
