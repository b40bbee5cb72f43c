/** Sends the conformance data to a real nginx. Compares statuses and verdicts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showsMatch } from '../../../cli/probes/check.ts';
import { createEventPace } from '../../../cli/probes/run.ts';
import {
  lacksPeer,
  requestOf,
  type VectorCase,
  vectorSkipReason,
  verdictVectors,
} from '../../../cli/probes/sources/vectors.ts';
import type { RequestEvent } from '../../../contract/events/members.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { parseAddress } from '../../../contract/values/address.ts';
import { receives, receivesHeader } from '../../../engine/hosts/nginx.ts';
import { asSent } from '../../../engine/hosts/received.ts';
import { type BodyInspection, compile, type Verdict } from '../../../engine/index.ts';
import { type Guarded, startGuarded, statusOf } from './guarded.ts';

type Expected = Readonly<Record<string, string>> & { readonly body?: Readonly<BodyInspection> };
type Case = VectorCase & { readonly expect: Expected };

/** Returns whether the guard in nginx receives exactly the request of the vector. */
function arrivesUnchanged(one: Case): boolean {
  const { request } = one;
  if (vectorSkipReason(request) !== undefined || lacksPeer(one)) return false;
  const { headers, ...line } = requestOf(request, false);
  const { target } = line;
  const received = receives(asSent(line));
  const isSame = received.kind === 'passed' && received.target === target;
  const hasPeer = request.ip === undefined || parseAddress(request.ip) !== undefined;
  return isSame && hasPeer && headers.every(([name]) => receivesHeader(name));
}

/** Makes the test a trusted proxy, because it sends the peer of a vector as X-Forwarded-For. */
const withPeer = (policy: object): object => ({
  ...policy,
  trustedProxies: [...((policy as { trustedProxies?: string[] }).trustedProxies ?? []), '127.0.0.1'],
});

const nameOf = ({ policy, request }: Case): string => JSON.stringify([policy, request.ip !== undefined]);

const cases = (verdictVectors() as Case[]).filter(arrivesUnchanged);
const names = [...new Set(cases.map(nameOf))];
const policyOf = (name: string): object => {
  const [policy, hasPeer] = JSON.parse(name) as [object, boolean];
  return hasPeer ? withPeer(policy) : policy;
};

async function statusOfCase(nginx: Guarded, one: Case): Promise<number> {
  const { headers, ...message } = requestOf(one.request, one.request.ip !== undefined);
  const policy = `p${names.indexOf(nameOf(one))}`;
  return statusOf(nginx, { ...message, policy, headers: [...headers, ['User-Agent', one.id]] });
}

const nothing = { overflow: undefined, values: undefined, bytes: undefined };

const verdictOf = ({ policy, request }: Case): Verdict =>
  compile(Policy.parse(policy)).evaluate({ ...requestOf(request, false), ip: request.ip ?? '127.0.0.1' });

function checkEvent(one: Case, event: RequestEvent | undefined): void {
  const { verdict, reason, target = '', candidate = '', rule = '', body } = one.expect;
  if (verdict === 'allowed') {
    assert.equal(event, undefined, one.id);
    return;
  }
  const { overflow, inspected_values: values, inspected_bytes: bytes } = event ?? {};
  const found = { reason: event?.reason, target: event?.target, rule: event?.rule_id };
  assert.deepEqual({ ...found, overflow, values, bytes }, { reason, target, rule, ...nothing, ...body }, one.id);
  const shown = event?.candidate ?? '';
  assert.ok(shown === candidate || showsMatch(shown, verdictOf(one)), `${one.id}: ${shown}`);
}

test(`${cases.length} verdicts of the conformance data`, async (t) => {
  assert.ok(cases.length > 600, String(cases.length));
  const policies = Object.fromEntries(names.map((name, index) => [`p${index}`, policyOf(name)]));
  const nginx = await startGuarded(t, { policies });
  const queue = [...cases];
  // Slows down blocked requests: above its rate limit the guard counts events without writing them.
  const pace = createEventPace(Date.now);
  const work = async (): Promise<void> => {
    for (let one = queue.pop(); one; one = queue.pop()) {
      const isAnswered = one.expect.verdict === 'blocked' && (one.policy as { mode?: string }).mode !== 'detect';
      const wanted = isAnswered ? 403 : 200;
      if (one.expect.verdict === 'blocked') await pace.step();
      assert.equal(await statusOfCase(nginx, one), wanted, `${one.id}\n${nginx.log()}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  const events = new Map((nginx.events() as object[] as RequestEvent[]).map((event) => [event.user_agent, event]));
  for (const one of cases) checkEvent(one, events.get(one.id));
});
