import assert from 'node:assert/strict';
import { test } from 'node:test';
import builtIn from '../../contract/policy/patterns.json' with { type: 'json' };
import { Policy } from '../../contract/policy/schema.ts';
import * as model from '../../engine/hosts/caddy.ts';
import { ownBans, type SandboxBans } from './bans.ts';
import type { Probe, ProbeRequest } from './probe.ts';
import { createProbeSet } from './probe-set.ts';
import { createSetting, isBlockedOrDetected, ruleOf } from './setting.ts';
import { vectorSkipReason, verdictVectors } from './sources/vectors.ts';

function probeSetOf(file: object, peer = '172.17.0.1', own: { readonly bans?: SandboxBans } = {}) {
  const setting = createSetting({ policy: Policy.parse(file), model, host: 'localhost:8080', peer, ...own });
  const probeSet = createProbeSet(setting, []);
  const probe = (id: string): Probe | undefined => probeSet.probes.find((row) => row.id === id);
  const rules = (id: string): readonly (string | undefined)[] =>
    probe(id)?.requests.map((request) => ruleOf(setting.outcome(request))) ?? [];
  const reason = (id: string): string | undefined => probeSet.skipped.find((row) => row.id === id)?.reason;
  return { setting, probeSet, probe, rules, reason };
}

test('has a match and a near miss for every built-in rule', () => {
  const { rules, reason } = probeSetOf({ checkQuery: true });
  for (const { id } of builtIn) {
    assert.deepEqual(rules(`match:${id}`), [id], `${id}: ${reason(`match:${id}`)}`);
    assert.equal(rules(`near_miss:${id}`).length, 1, `${id}: ${reason(`near_miss:${id}`)}`);
    assert.notEqual(rules(`near_miss:${id}`)[0], id);
  }
});

test('has probes of the ban list for a policy that trusts this machine', () => {
  const own = { bans: ownBans(true, Date.now()) };
  const banList = { file: '/nowhere' };
  const { probe, setting } = probeSetOf({ banList, trustedProxies: ['172.17.0.1'] }, undefined, own);
  const reasonOf = (id: string) => {
    const outcome = setting.outcome(probe(id)?.requests[0] as ProbeRequest);
    return outcome.kind === 'refused' ? outcome.status : outcome.verdict.reason;
  };
  assert.deepEqual(
    ['client', 'method', 'last'].map((name) => reasonOf(`banned:${name}`)),
    Array(3).fill('banned'),
  );
  assert.deepEqual(
    ['other', 'forged'].map((name) => reasonOf(`banned:${name}`)),
    Array(2).fill('no_match'),
  );
  assert.match(probeSetOf({ banList }, undefined, own).reason('banned') ?? '', /^trustedProxies does not contain/);
  assert.match(probeSetOf({ banList }).reason('banned') ?? '', /^the ban list has no address/);
  assert.equal(probeSetOf({}, undefined, own).reason('banned'), undefined);
});

test('starts with the three probes of the specification', () => {
  const { probeSet } = probeSetOf({});
  assert.deepEqual(
    probeSet.probes.slice(0, 3).map(({ requests }) => requests[0]?.target),
    ['/.env', '/static/..%2f.env', '/robots.txt'],
  );
});

test('builds examples from custom patterns', () => {
  const own = { id: 'own', action: 'block', pattern: '^/own/[0-9]+$' };
  const { rules } = probeSetOf({ blockPatterns: ['(?i)^/internal/'], allowPatterns: ['^/docs/'], rules: [own] });
  for (const id of ['block[0]', 'allow[0]', 'own']) assert.deepEqual(rules(`match:${id}`), [id]);
  assert.notDeepEqual(rules('near_miss:own'), ['own']);
});

test('shows a body rule with a form when queries are not inspected', () => {
  const { probe, rules } = probeSetOf({ checkBody: true, methods: ['POST'] });
  assert.deepEqual(rules('match:os-drive'), ['os-drive']);
  const [request] = probe('match:os-drive')?.requests ?? [];
  assert.equal(request?.method, 'POST');
  assert.match(request?.body ?? '', /=/);
});

test('skips rules that no request can show, with the reason', () => {
  const shadowed = probeSetOf({ blockPatterns: ['^/same', '^/same'] });
  assert.equal(shadowed.reason('match:block[1]'), 'block[0] matches first for every example');
  assert.match(shadowed.reason('match:os-drive') ?? '', /inspects query and body, which the policy does not inspect/);
  assert.equal(probeSetOf({ enabled: false }).reason('match:env-file'), 'the policy is not enabled');
  const bypassed = probeSetOf({ allowedIps: ['0.0.0.0/0'] });
  assert.match(bypassed.reason('match:env-file') ?? '', /^allowedIps holds 172\.17\.0\.1/);
  assert.equal(probeSetOf({ disabledRules: ['env-file'] }).reason('match:env-file'), undefined);
});

test('has no near miss for a pattern that matches everything', () => {
  const { reason } = probeSetOf({ blockPatterns: ['.'] });
  assert.equal(reason('near_miss:block[0]'), 'no near miss could be built from its pattern');
});

test('has several wire probes, fewer when a method is not inspected', () => {
  const ids = (file: object) =>
    probeSetOf(file)
      .probeSet.probes.filter(({ source }) => source === 'wire')
      .map(({ id }) => id);
  const few = ['wire:alone', 'wire:repeated', 'wire:behind', 'wire:before'];
  assert.deepEqual(ids({}), few);
  assert.deepEqual(ids({ methods: ['*'] }), [...few, 'wire:head']);
  const drop = { methods: ['*'], response: { mode: 'silent_drop' } };
  assert.deepEqual(ids(drop), [...few, 'wire:head', 'wire:withheld']);
  assert.deepEqual(ids({ ...drop, mode: 'detect' }), [...few, 'wire:head']);
  assert.equal(probeSetOf({ enabled: false }).reason('wire'), 'this policy detects none of the known requests');
});

test('sends every possible conformance request once', () => {
  const cases = verdictVectors();
  const setting = createSetting({ policy: Policy.parse({}), model, host: 'localhost:8080', peer: '172.17.0.1' });
  const { probes, skipped } = createProbeSet(setting, cases);
  const sent = probes.filter(({ source }) => source === 'vector');
  const keys = sent.map(({ requests }) => JSON.stringify(requests));
  assert.ok(cases.length > 1000 && sent.length > 0.8 * cases.length, `${sent.length} of ${cases.length}`);
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(sent.some(({ requests }) => requests.every((request) => isBlockedOrDetected(setting.outcome(request)))));
  assert.equal(
    skipped.filter(({ source }) => source === 'vector').length,
    cases.filter(({ request }) => vectorSkipReason(request) !== undefined).length,
  );
});
