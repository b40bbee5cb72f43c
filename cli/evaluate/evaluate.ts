import { policyResponse } from '../../contract/policy/banned-response.ts';
import { statusOf } from '../../contract/policy/modes.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import {
  compile,
  type Guard,
  type GuardRequest,
  type Trace,
  type TracedTarget,
  type Upgrades,
} from '../../engine/index.ts';
import { printable } from '../../platform/escape.ts';
import type { ProxyTarget } from '../targets/table.ts';
import { explainClient } from './client.ts';
import { receiverFor, tunnelEnd } from './evaluator.ts';
import type { Expectation, ProxyView, TestResult } from './result.ts';
import { uninspectedOf } from './uninspected.ts';

export interface EvaluationInput {
  readonly policy: Policy;
  /** Path of the policy file. Null when the default policy applies. */
  readonly policyName: string | null;
  readonly request: GuardRequest;
  readonly proxy: ProxyTarget | undefined;
  readonly expect: Expectation | undefined;
  /** True when the result lists what matches each candidate. */
  readonly isTraced: boolean;
  /** True when the result explains the client address. */
  readonly explainsClient?: boolean;
  readonly notes: readonly string[];
}

type Finding = Omit<TestResult, 'request' | 'policy' | 'mode' | 'proxy' | 'expected' | 'notes'>;

function withoutTrace(target: TracedTarget): TracedTarget {
  return { ...target, candidates: target.candidates.map(({ candidate }) => ({ candidate })) };
}

function findingOf({ verdict, targets, exceptions, body }: Trace, policy: Policy, isTraced: boolean): Finding {
  const isBlocked = verdict.verdict === 'blocked';
  const response = policyResponse(policy, verdict.reason === 'banned');
  const status = isBlocked ? statusOf(response) : null;
  const shown = isTraced ? targets : targets.map(withoutTrace);
  const shownExceptions = isTraced ? exceptions : exceptions.filter(({ excused }) => excused.length > 0);
  return {
    ...verdict,
    responseMode: isBlocked ? response.mode : null,
    status,
    targets: shown,
    ...(body && { body }),
    ...(shownExceptions.length > 0 && { exceptions: shownExceptions }),
  };
}

function refusalFinding(status: number): Finding {
  return { verdict: 'refused', reason: 'refused_by_proxy', responseMode: null, status, targets: [] };
}

interface ProxiedFinding {
  readonly proxy?: ProxyView;
  /** A note about a protocol to which the connection must not switch, or about a host that an exception needs. */
  readonly note?: string | undefined;
  readonly finding: Finding;
}

/**
 * Returns the product whose file the request names. Imports the table of products only for a request that a rule
 * blocks.
 */
async function productOf({ verdict, rule, candidate }: Finding): Promise<Pick<Finding, 'product'>> {
  if (verdict !== 'blocked' || rule === undefined || candidate === undefined) return {};
  const { fileAt } = await import('./products.ts');
  const product = fileAt(rule, candidate);
  return product ? { product } : {};
}

function noteOf({ refused, ends }: Upgrades, { method }: GuardRequest, { mode }: Policy): string | undefined {
  if (refused === undefined) return undefined;
  if (ends) return 'the guards refuse tunnels: allowUpgrades does not have CONNECT';
  const what = method === refused ? 'tunnel' : `upgrade to ${printable(refused)}`;
  return `the ${what} would be ${mode === 'detect' ? 'reported' : 'removed'}: allowUpgrades does not have it`;
}

/** Returns a note for a blocked request without a host that an exception with hosts allows. */
function hostNoteOf(
  guard: Guard,
  request: GuardRequest,
  { exceptions }: Policy,
  { rule }: Finding,
): string | undefined {
  if (rule === undefined || request.host !== undefined) return undefined;
  const hosts = new Set(exceptions.filter(({ rules }) => rules.includes(rule)).flatMap((one) => one.hosts));
  for (const host of [...hosts].map((pattern) => pattern.replace('*', 'www')))
    if (guard.evaluate({ ...request, host }).verdict === 'allowed')
      return `an exception allows the request for ${host}: pass -H 'Host: ${host}'`;
  return undefined;
}

async function findingFor({
  policy,
  request,
  proxy,
  isTraced,
  explainsClient,
}: EvaluationInput): Promise<ProxiedFinding> {
  const receive = await receiverFor(proxy);
  const received = receive(request);
  const view = received.proxy && { proxy: received.proxy };
  if (!('request' in received)) return { ...view, finding: refusalFinding(received.status) };
  const guard = compile(policy);
  const found = findingOf(guard.trace(received.request), policy, isTraced);
  const upgrades = found.verdict === 'allowed' ? guard.upgrades(received.request) : { headers: [] };
  const finding = upgrades.ends ? { ...refusalFinding(tunnelEnd.status), ...tunnelEnd, targets: found.targets } : found;
  const uninspected = uninspectedOf(finding.reason, policy, request);
  const product = await productOf(finding);
  return {
    ...view,
    finding: {
      ...finding,
      ...(explainsClient && { client: explainClient(received.request, policy) }),
      ...product,
      ...(uninspected && { uninspected }),
    },
    note: noteOf(upgrades, received.request, policy) ?? hostNoteOf(guard, received.request, policy, finding),
  };
}

/**
 * Compares a verdict with the expected one. A request that the proxy refuses reaches no backend and counts as blocked.
 */
export function expectationOf(
  verdict: TestResult['verdict'],
  expect: Expectation | undefined,
): Pick<TestResult, 'expected'> {
  if (expect === undefined) return {};
  return { expected: { verdict: expect, met: (verdict === 'allowed') === (expect === 'allowed') } };
}

export async function evaluateRequest(input: EvaluationInput): Promise<TestResult> {
  const { policy, policyName, request, notes } = input;
  const { method, target, ip, host } = request;
  const { proxy, finding, note } = await findingFor(input);
  return {
    request: { method, target, ...(ip !== undefined && { ip }), ...(host !== undefined && { host }) },
    policy: policyName,
    mode: policy.mode,
    ...(proxy && { proxy }),
    ...finding,
    ...expectationOf(finding.verdict, input.expect),
    notes: [...notes, ...(note === undefined ? [] : [note])],
  };
}
